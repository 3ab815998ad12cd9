package org.nyala.core.operation.update;

import org.nyala.core.dn.Dn;
import org.nyala.core.session.Operation;
import org.nyala.core.session.PreparedUpdate;

/** The notice of changed passwords to the listener of a client. Stateless. */
public final class PasswordNotice {
  private PasswordNotice() {}

  /** Sends it, if an update that is on disk has changed any; before its operation ends. */
  public static void send(Operation operation, PreparedUpdate update) {
    Dn account = update.changedPassword();
    if (account != null) {
      operation.session().listener().passwordChanged(operation.session(), operation, account);
    }
  }
}
