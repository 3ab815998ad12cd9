package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;

/**
 * Several listeners for client activity, which learn of each event in their order.
 *
 * <p>Immutable. Hot: an event costs one call for each of them, and no memory.
 */
final class SessionListeners implements SessionListener {
  private final SessionListener[] listeners;

  SessionListeners(SessionListener... listeners) {
    this.listeners = listeners.clone();
  }

  @Override
  public void opened(Session session) {
    for (SessionListener each : listeners) {
      each.opened(session);
    }
  }

  @Override
  public void encrypted(Session session, String protocol, String cipher) {
    for (SessionListener each : listeners) {
      each.encrypted(session, protocol, cipher);
    }
  }

  @Override
  public void started(Session session, int number, Request request) {
    for (SessionListener each : listeners) {
      each.started(session, number, request);
    }
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    for (SessionListener each : listeners) {
      each.completed(session, operation, answer);
    }
  }

  @Override
  public void bindMalformed(Session session, LdapResult answer) {
    for (SessionListener each : listeners) {
      each.bindMalformed(session, answer);
    }
  }

  @Override
  public void accountLocked(Session session, Operation operation, Dn account) {
    for (SessionListener each : listeners) {
      each.accountLocked(session, operation, account);
    }
  }

  @Override
  public void passwordChanged(Session session, Operation operation, Dn account) {
    for (SessionListener each : listeners) {
      each.passwordChanged(session, operation, account);
    }
  }

  @Override
  public void closed(Session session) {
    for (SessionListener each : listeners) {
      each.closed(session);
    }
  }
}
