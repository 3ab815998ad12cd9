package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Request;

/**
 * A client with one connection, which it may share with others. Confined to the channel's event
 * loop.
 */
abstract class SingleClient extends SimulatedClient {
  private final LoadConnection connection;

  SingleClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed);
    this.connection = connection;
  }

  @Override
  void prepare() {
    if (slot() == 0) {
      connection.open();
    }
  }

  @Override
  void ready(LoadConnection opened) {
    startOrGoOn();
  }

  final LoadConnection connection() {
    return connection;
  }

  final void send(Request request, int user) {
    connection.send(this, request, user, 0);
  }

  final void send(Request request, int user, long stamp) {
    connection.send(this, request, user, stamp);
  }

  /**
   * Returns whether an answer is of the kind that was asked for; if not, gives the connection up.
   */
  final boolean isExpected(LoadConnection answering, int tag, int expectedTag) {
    if (isRunning() && tag == expectedTag) {
      return true;
    }
    answering.malformed();
    return false;
  }

  @Override
  boolean canSend() {
    return connection.isReady();
  }

  @Override
  void forget() {
    connection.forget(this);
  }

  @Override
  final void closeAll() {
    connection.leave();
  }
}
