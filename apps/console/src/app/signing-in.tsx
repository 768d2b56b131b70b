import type { Me } from '@holdfast/api';
import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { BACK, comeBack, goOn, leaveForIssuer, type Issuer } from '../api/oidc.js';
import { isToken, onSession, refusal, signIn, token } from '../api/session.js';
import { useMe } from '../api/use-me.js';
import { Loading, ProblemNote } from '../parts/states.js';
import { usePageTitle } from '../parts/use-page-title.js';
import classes from './signing-in.module.css';

/** The pages, or where to say who one is, if the gateway asks for it and does not know. */
export const SignedIn = ({ children }: { readonly children: ReactNode }) => {
  const me = useMe();
  const client = useQueryClient();
  const { pathname } = useLocation();
  const issuer = me?.signIn.oidc ?? null;
  // What somebody else has seen is not for whoever comes next.
  useEffect(() => onSession(() => void client.resetQueries()), [client]);
  useEffect(() => {
    if (issuer !== null && pathname !== BACK && token() !== null) void goOn(issuer);
  }, [issuer, pathname]);
  if (pathname === BACK && issuer !== null) return <ComingBack issuer={issuer} />;
  if (pathname === BACK && me === undefined) return <Alone title="Signing in">{null}</Alone>;
  if (me?.authentication === 'required' && me.principal === null) return <SignIn me={me} />;
  return <>{children}</>;
};

const ComingBack = ({ issuer }: { readonly issuer: Issuer }) => {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    comeBack(issuer).then((to) => navigate(to, { replace: true }), setError);
  }, [issuer, navigate]);
  return (
    <Alone title="Signing in">
      {error === null ? <Loading what="what the issuer says" lines={2} /> : <ProblemNote error={error} />}
      {error !== null && <Button onClick={() => void navigate('/runs', { replace: true })}>Begin again</Button>}
    </Alone>
  );
};

const SignIn = ({ me: { signIn: ways } }: { readonly me: Me }) => (
  <Alone title="Sign in">
    {refusal() !== null && <p role="alert">{refusal()}</p>}
    {ways.oidc !== null && <AtIssuer issuer={ways.oidc} />}
    <ByToken />
  </Alone>
);

const AtIssuer = ({ issuer }: { readonly issuer: Issuer }) => {
  const [error, setError] = useState<unknown>(null);
  return (
    <>
      <Button onClick={() => void leaveForIssuer(issuer).catch(setError)}>
        Sign in at {new URL(issuer.issuer).host}
      </Button>
      {error !== null && <ProblemNote error={error} />}
      <p className="dim">Or with a token:</p>
    </>
  );
};

const ByToken = () => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = text.trim();
    if (isToken(given)) signIn(given);
    else setProblem('That is no token: it has only letters, digits and . _ ~ + / = -');
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <PasswordInput
        label="Token"
        description="As holdfast tokens create has printed it. Kept by this tab until it is closed."
        autoComplete="off"
        value={text}
        error={problem}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={text.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
};

const Alone = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => {
  usePageTitle(title);
  return (
    <main className={classes.alone}>
      <p className={classes.brand}>
        <img src="/favicon.svg" width={26} height={26} alt="" /> Holdfast
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  );
};
