package org.nyala.management.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.management.http.HttpAcceptor.Conversation;
import org.nyala.netty.tls.TlsSockets;

/**
 * One connection of the HTTP port: a handshake if it is encrypted, one request, and one answer or a
 * stream of events.
 *
 * <p>Confined to its thread, except for {@link #close}, {@link #evict}, {@link #use} and {@link
 * #network}. Whatever it waits for has a deadline, at which another thread closes its socket: bytes
 * that arrive one by one do not extend it.
 */
final class HttpConnection implements AutoCloseable, OwnedSlots.Tenant {
  /** The time for the handshake and the request together. */
  private static final int REQUEST_SECONDS = 5;

  /** The time in which the client must have read the answer. */
  private static final int ANSWER_SECONDS = 30;

  /** The time for the client to end the connection after its answer. */
  private static final int FAREWELL_SECONDS = 1;

  /** The most bytes, such as those of a body, that are passed over at the end. */
  private static final int FAREWELL_BYTES = 1 << 16;

  /** The bytes that the system keeps of a stream whose client does not read. */
  private static final int STREAM_BUFFER_BYTES = 1 << 16;

  private static final System.Logger LOG = System.getLogger(HttpConnection.class.getName());

  /** The interval of lines in the log about failures of the server. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final AtomicLong NEXT_LINE_NANOS = new AtomicLong(System.nanoTime());

  private final Socket accepted;
  private final ClientNetwork network;
  private final String address;
  private final ScheduledExecutorService clock;
  private @Nullable Future<?> deadline;
  private volatile boolean isStreaming;

  HttpConnection(Socket accepted, ScheduledExecutorService clock) {
    this.accepted = accepted;
    InetAddress client = accepted.getInetAddress();
    this.network = ClientNetwork.of(client);
    this.address = client == null ? network.name() : client.getHostAddress();
    this.clock = clock;
  }

  /** Returns the origin of the client. */
  ClientNetwork network() {
    return network;
  }

  /**
   * One request takes milliseconds: whatever takes longer makes way, and pages that are open if
   * nothing else does.
   */
  @Override
  public OwnedSlots.Use use() {
    return isStreaming ? OwnedSlots.Use.AWAITING_CLIENT : OwnedSlots.Use.IDLE;
  }

  @Override
  public void evict() {
    close();
  }

  /** Sets the time for what comes next. */
  private void within(int seconds) {
    Future<?> previous = deadline;
    if (previous != null) {
      boolean _ = previous.cancel(false);
    }
    deadline = clock.schedule(this::close, seconds, TimeUnit.SECONDS);
  }

  /** Serves the client to the end. */
  void serve(@Nullable TlsSockets tls, Conversation conversation) {
    try {
      within(REQUEST_SECONDS);
      accepted.setTcpNoDelay(true);
      Socket socket = accepted;
      if (tls != null) {
        SSLSocket encrypted = tls.encrypt(accepted);
        encrypted.startHandshake();
        socket = encrypted;
      }
      converse(socket, conversation);
    } catch (IOException | RejectedExecutionException e) {
      // The client has gone, was too slow, or speaks something else; or the server ends.
      LOG.log(Level.DEBUG, "a connection of the HTTP port has failed", e);
    } catch (RuntimeException e) {
      log(e);
    } finally {
      close();
      Future<?> last = deadline;
      if (last != null) {
        boolean _ = last.cancel(false);
      }
    }
  }

  private HttpReply answer(HttpRequest request, Conversation conversation) {
    try {
      return conversation.answer(request, network, address);
    } catch (RuntimeException e) {
      log(e);
      return HttpAnswer.text(HttpAnswer.FAILED, "the server has failed, its log says why");
    }
  }

  /** Logs a failure of the server, which clients may be able to repeat. */
  private static void log(RuntimeException failure) {
    long due = NEXT_LINE_NANOS.get();
    long now = System.nanoTime();
    if (now - due >= 0 && NEXT_LINE_NANOS.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.ERROR,
          "a request of the HTTP port has failed; one such failure is logged in a minute",
          failure);
    }
  }

  private void converse(Socket socket, Conversation conversation) throws IOException {
    HttpReply reply;
    boolean hasBody = true;
    try {
      HttpRequest request = HttpRequest.read(socket.getInputStream());
      if (request == null) {
        return;
      }
      within(ANSWER_SECONDS);
      hasBody = !request.method().equals("HEAD");
      reply = answer(request, conversation);
    } catch (HttpRefusal e) {
      reply = e.answer();
    }
    switch (reply) {
      case HttpAnswer answer -> answer.write(socket.getOutputStream(), hasBody);
      case HttpStream stream -> write(stream, socket);
    }
    within(FAREWELL_SECONDS);
    socket.shutdownOutput();
    passOver(socket.getInputStream());
  }

  /** Writes a stream to its end; each part of it has a time of its own. */
  private void write(HttpStream stream, Socket socket) throws IOException {
    OutputStream out = socket.getOutputStream();
    isStreaming = true;
    try (HttpStream.Source source = stream.opening().open(this)) {
      if (source == null) {
        HttpStream.full().write(out, true);
        return;
      }
      accepted.setSendBufferSize(STREAM_BUFFER_BYTES);
      out.write(HttpAnswer.head(HttpAnswer.OK, stream.headers(), -1));
      byte[] next = source.next();
      while (next != null) {
        within(ANSWER_SECONDS);
        out.write(next);
        out.flush();
        next = source.next();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isStreaming = false;
    }
  }

  /** Reads what is left: unread bytes would destroy the answer on its way. */
  private static void passOver(InputStream in) throws IOException {
    byte[] unread = new byte[1024];
    int left = FAREWELL_BYTES;
    int read = in.read(unread);
    while (read >= 0 && left > 0) {
      left -= read;
      read = in.read(unread);
    }
  }

  /**
   * Ends the connection at once, whatever its thread is doing. The encryption is not asked: it
   * would wait for the client. Idempotent.
   */
  @Override
  public void close() {
    try {
      accepted.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "closing a connection of the HTTP port", e);
    }
  }
}
