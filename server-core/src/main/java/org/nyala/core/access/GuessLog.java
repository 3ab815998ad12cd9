package org.nyala.core.access;

import org.nyala.core.message.RefusalReason;

/** The log of the attempts of an operation to prove a name by a password. Quick; throws nothing. */
public interface GuessLog {
  /** Notes that an attempt has shown nothing, for the security log to tell of. */
  void guessed(RefusalReason reason);

  /** Counts an attempt that was refused because of former ones. */
  void attemptRefused();
}
