import { useLayoutEffect, useState, type RefObject } from 'react';

/** How far below the top of the document the rows begin, also when what stands above grows. */
export const useDistanceFromTop = (element: RefObject<HTMLElement | null>): number => {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = element.current?.getBoundingClientRect().top;
      if (top !== undefined) setDistance(Math.round(top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return distance;
};
