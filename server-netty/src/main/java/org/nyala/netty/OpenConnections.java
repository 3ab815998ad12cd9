package org.nyala.netty;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;

/**
 * The open connections by number, for looking at them and ending them from outside: each is asked
 * on its own event loop.
 *
 * <p>Thread-safe. Requests are not handled here.
 */
final class OpenConnections {
  /** The time for which a caller from outside waits for event loops. */
  static final long VISIT_MILLIS = 1000;

  private final ConcurrentMap<Integer, ConnectionHandler> byNumber = new ConcurrentHashMap<>();

  /** Adds a connection that is ready to be looked at. */
  void add(ConnectionHandler connection) {
    byNumber.put(connection.number(), connection);
  }

  /** Removes a connection that has ended. */
  void remove(ConnectionHandler connection) {
    byNumber.remove(connection.number(), connection);
  }

  /** Returns all open connections, in no order. */
  Collection<ConnectionHandler> all() {
    return byNumber.values();
  }

  List<ConnectionStatus> statuses() {
    return byNumber.values().stream()
        .map(ConnectionHandler::status)
        .sorted(Comparator.comparingInt(ConnectionStatus::number))
        .toList();
  }

  /** Ends a connection; see {@link NettyLdapServer#disconnect}. */
  boolean disconnect(int number) {
    ConnectionHandler connection = byNumber.get(number);
    if (connection == null) {
      return false;
    }
    try {
      connection.endLater(
          LdapResult.of(ResultCode.UNAVAILABLE, "disconnected by an administrator"));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Shows the operations that have begun and not ended, soon, on their event loops.
   *
   * @throws RejectedExecutionException if an event loop has ended
   */
  void visitRunning(Consumer<Operation> visitor) {
    byNumber.values().forEach(connection -> visitRunning(connection, visitor));
  }

  private static void visitRunning(ConnectionHandler connection, Consumer<Operation> visitor) {
    Session session = connection.session();
    connection.executeLater(() -> session.whenOurs(() -> session.running().forEach(visitor)));
  }

  /** Cancels an operation; see {@link NettyLdapServer#cancel}. */
  boolean cancel(int number, int messageId) {
    ConnectionHandler connection = byNumber.get(number);
    if (connection == null) {
      return false;
    }
    Session session = connection.session();
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    try {
      connection.execute(
          () -> session.whenOurs(() -> done.complete(cancelOnLoop(session, messageId))));
      return done.get(VISIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean cancelOnLoop(Session session, int messageId) {
    try {
      boolean _ = session.cancel(messageId, null);
      return true;
    } catch (LdapOperationException e) {
      return false;
    }
  }
}
