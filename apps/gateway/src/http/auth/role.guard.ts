import { admits, type Route } from '@holdfast/api';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ROUTE } from '../serves.js';
import { forbidden, unauthenticated } from './access-problems.js';
import { signedIn } from './principal.js';

/** Lets a request to its handler where whoever sends it has the role that the table of routes asks for. */
@Injectable()
export class RoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const route = Reflect.getMetadata(ROUTE, context.getHandler()) as Route | undefined;
    // A handler that is in no table is for admins: whoever forgets it finds a closed door, not an open one.
    const least = route?.role ?? 'admin';
    if (least === 'anyone') return true;
    const principal = signedIn(context.switchToHttp().getRequest<Request>());
    if (principal === null) throw unauthenticated();
    if (!admits(principal.roles, least)) throw forbidden(principal.id, least);
    return true;
  }
}
