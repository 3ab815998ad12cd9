package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Refreshes a copy of the whole subtree (RFC 4533), over and over. Every entry must come with its
 * state, and the answer end with the control that ends a synchronization. Without a cookie it must
 * be the same number of entries every time. Confined to the channel's event loop.
 */
final class SyncScanClient extends ScanClient {
  private static final byte[] STATE = Pdu.utf8(Controls.SYNC_STATE);
  private static final byte[] DONE = Pdu.utf8(Controls.SYNC_DONE);

  private final boolean isOfChanges;
  private long states;
  private long received;
  private boolean isDone;

  SyncScanClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
    this.isOfChanges = !loop.settings().options().sync().cookie().isEmpty();
  }

  @Override
  void next() {
    states = 0;
    isDone = false;
    super.next();
  }

  @Override
  void control(BerCursor name, BerCursor value) {
    if (name.is(STATE)) {
      states++;
    } else if (name.is(DONE)) {
      isDone = true;
    }
  }

  @Override
  boolean isWhole(long entries) {
    received = entries;
    return isDone && states == received && (isOfChanges || super.isWhole(received));
  }

  @Override
  String wrongAnswerInWords() {
    return isDone && states == received
        ? super.wrongAnswerInWords()
        : states
            + " of "
            + received
            + " entries came with their state, "
            + (isDone ? "and" : "but not")
            + " the control that ends a synchronization";
  }
}
