package org.nyala.netty;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.operation.LdapResult;

/**
 * The connections of one event loop, and the decoder that they share. One periodic sweep looks
 * after all their timeouts, so that a request costs no timer.
 *
 * <p>Confined to the channel's event loop.
 */
final class LoopConnections {
  private final List<ConnectionHandler> connections = new ArrayList<>();
  private final RequestDecoder decoder;

  /** Creates the table of a loop without connections. */
  LoopConnections(RequestDecoder decoder) {
    this.decoder = decoder;
  }

  /** The decoder of this loop. */
  RequestDecoder decoder() {
    return decoder;
  }

  /** Enters a connection; returns its place. */
  int add(ConnectionHandler connection) {
    connections.add(connection);
    return connections.size() - 1;
  }

  /** Removes the connection at {@code place}; the last one moves there. */
  void remove(int place) {
    ConnectionHandler last = connections.removeLast();
    if (place < connections.size()) {
      connections.set(place, last);
      last.moveTo(place);
    }
  }

  /** Ends what has been silent or has not read for too long. */
  void sweep(long nowNanos) {
    // From the end: a connection that goes away is replaced by one that was looked at.
    for (int i = connections.size() - 1; i >= 0; i--) {
      connections.get(i).sweep(nowNanos);
    }
  }

  /** Lets every connection end what it runs, then ends it. */
  void drain(LdapResult notice) {
    for (int i = connections.size() - 1; i >= 0; i--) {
      connections.get(i).drain(notice);
    }
  }

  /** Ends every connection at once. */
  void closeAll() {
    for (int i = connections.size() - 1; i >= 0; i--) {
      connections.get(i).closeNow();
    }
  }
}
