package org.nyala.management.http;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.tls.TlsSockets;

/**
 * The socket of the HTTP port and its connections, each with a thread.
 *
 * <p>The number of connections is bounded. If all slots are taken, a new connection takes the slot
 * of the oldest one of the network that has most: clients that open connections and send nothing
 * close each other's, and a probe, which is answered within milliseconds, keeps its own.
 *
 * <p>Thread-safe. The threads are its own, so that they answer while everything else is busy; idle
 * ones end.
 */
final class HttpAcceptor implements AutoCloseable {
  /** The most connections. */
  static final int CONNECTIONS = 256;

  /**
   * The threads for requests that are still worked on although their connection was closed: more
   * than wait for a password or a scrape. While all are busy, nothing is accepted.
   */
  private static final int FURTHER_THREADS = 64;

  private static final System.Logger LOG = System.getLogger(HttpAcceptor.class.getName());
  private static final int BACKLOG = 1024;
  private static final int STACK_BYTES = 512 << 10;

  /** The pause after a failure to accept, such as the lack of file descriptors. */
  private static final int PAUSE_MILLIS = 100;

  /** Answers requests; called on the thread of a connection, which it may block. */
  interface Conversation {
    /**
     * Returns the answer to a request of a client.
     *
     * @param address the address of the client, for logs
     */
    HttpReply answer(HttpRequest request, ClientNetwork client, String address);
  }

  private final ServerSocket listening;
  private final @Nullable TlsSockets tls;
  private final Conversation conversation;
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
  private final OwnedSlots slots =
      new OwnedSlots(OwnedSlots.Kind.HTTP_CONNECTIONS, () -> CONNECTIONS, FURTHER_THREADS);
  private final ScheduledThreadPoolExecutor clock;
  private final ExecutorService threads;
  private final Semaphore free = new Semaphore(CONNECTIONS + FURTHER_THREADS);
  private final CountDownLatch closed = new CountDownLatch(1);

  private HttpAcceptor(
      ServerSocket listening, @Nullable TlsSockets tls, Conversation conversation) {
    this.listening = listening;
    this.tls = tls;
    this.conversation = conversation;
    this.clock = new ScheduledThreadPoolExecutor(1, threadsNamed("nyala-http-clock-"));
    this.clock.setRemoveOnCancelPolicy(true);
    this.clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.threads = Executors.newThreadPerTaskExecutor(threadsNamed("nyala-http-"));
  }

  private static ThreadFactory threadsNamed(String prefix) {
    return Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name(prefix, 1).factory();
  }

  /**
   * Binds the port, and answers from now on.
   *
   * @param tls encrypts connections; null for none
   * @throws IOException if it cannot listen on the address
   */
  static HttpAcceptor start(
      InetSocketAddress address, @Nullable TlsSockets tls, Conversation conversation)
      throws IOException {
    ServerSocket listening = new ServerSocket();
    try {
      listening.setReuseAddress(true);
      listening.bind(address, BACKLOG);
    } catch (IOException e) {
      listening.close();
      throw ErrorMessages.listenFailure(address, "HTTP", e);
    }
    HttpAcceptor acceptor = new HttpAcceptor(listening, tls, conversation);
    threadsNamed("nyala-http-accept-").newThread(acceptor::accept).start();
    return acceptor;
  }

  /** Returns the address that it listens on, with the actual port. */
  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  private void accept() {
    boolean isOver = false;
    while (!isOver) {
      try {
        serve(listening.accept());
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        isOver = pauseAfter(e);
      }
    }
  }

  /** Returns true if the port is closed, at once or within a moment. */
  private boolean pauseAfter(Throwable failure) {
    try {
      boolean isOver = listening.isClosed() || closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      if (!isOver) {
        LOG.log(Level.DEBUG, "the HTTP port could not accept a connection", failure);
      }
      return isOver;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Has a thread serve a connection; whatever fails, such as for want of memory, ends it whole. */
  private void serve(Socket accepted) throws IOException {
    boolean isServed = false;
    try {
      HttpConnection connection = new HttpConnection(accepted, clock);
      free.acquireUninterruptibly();
      isServed = start(connection);
    } finally {
      if (!isServed) {
        accepted.close();
      }
    }
  }

  /** Starts to serve a connection that has a permit, which is given back if that fails. */
  private boolean start(HttpConnection connection) {
    OwnedSlots.Slot taken = null;
    boolean isServed = false;
    try {
      OwnedSlots.Slot slot = slots.take(connection.network(), connection);
      taken = slot;
      open.add(connection);
      threads.execute(() -> serve(slot, connection));
      isServed = true;
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "the HTTP port is closed", e);
    } finally {
      if (!isServed) {
        end(taken, connection);
      }
    }
    return isServed;
  }

  private void serve(OwnedSlots.@Nullable Slot slot, HttpConnection connection) {
    try {
      if (slot != null) {
        connection.serve(tls, conversation);
      }
    } finally {
      connection.close();
      end(slot, connection);
    }
  }

  private void end(OwnedSlots.@Nullable Slot slot, HttpConnection connection) {
    open.remove(connection);
    if (slot != null) {
      slot.giveBack();
    }
    free.release();
  }

  /** Closes the port and all connections. Idempotent. */
  @Override
  public void close() {
    closed.countDown();
    try {
      listening.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "closing the HTTP port", e);
    }
    clock.shutdownNow();
    threads.shutdownNow();
    open.forEach(HttpConnection::close);
  }
}
