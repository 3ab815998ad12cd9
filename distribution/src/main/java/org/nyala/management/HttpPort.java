package org.nyala.management;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A port at which requests of HTTP/1.1 are answered, each connection by a thread of its own.
 *
 * <p>Where all places are taken, a newcomer gets that of the connection that has been waited for
 * longest: who sends half of a request, or nothing, holds nobody up. The JDK's own server turns
 * newcomers away instead, and keeps its connections to itself. Thread-safe.
 */
final class HttpPort implements AutoCloseable {
  /** Connections at once. */
  static final int CONNECTIONS = 256;

  /** For a request, from its first byte on. */
  private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** For the first byte. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** For an answer, until the client has taken it. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int LOOK_MILLIS = 500;
  private static final int BACKLOG = 64;
  private static final long STACK_BYTES = 256 << 10;
  private static final int BUFFER_BYTES = 1024;

  /** A body that nobody asked for is read, so that the answer before it is not lost. */
  private static final int UNWANTED_BYTES = 1 << 20;

  /** Answers requests; any thread. */
  interface Answering {
    HttpAnswer answer(HttpRequest request) throws InterruptedException;
  }

  private final ServerSocket listening;
  private final Answering answering;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private final ThreadFactory threads =
      Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name("nyala-http-", 1).factory();

  private HttpPort(ServerSocket listening, Answering answering) {
    this.listening = listening;
    this.answering = answering;
  }

  /**
   * Takes the port.
   *
   * @throws IOException when the address cannot be listened on
   */
  static HttpPort open(InetSocketAddress address, Answering answering) throws IOException {
    ServerSocket listening = new ServerSocket();
    try {
      listening.setReuseAddress(true);
      listening.bind(address, BACKLOG);
      listening.setSoTimeout(LOOK_MILLIS);
    } catch (IOException e) {
      listening.close();
      throw e;
    }
    HttpPort port = new HttpPort(listening, answering);
    Thread.ofPlatform().daemon().name("nyala-http-accept").start(port::accept);
    return port;
  }

  /** The address, with the port that it got. */
  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  private void accept() {
    long lookedNanos = System.nanoTime();
    while (!listening.isClosed()) {
      try {
        begin(new Connection(listening.accept()));
      } catch (SocketTimeoutException e) {
        // Nobody has come: time to look at those who are there.
        lookedNanos -= TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
      } catch (IOException | OutOfMemoryError e) {
        // No descriptor or no thread is left. The oldest may have one.
        giveWay(null);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS / 10));
      }
      long now = System.nanoTime();
      if (now - lookedNanos >= TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
        lookedNanos = now;
        endThoseThatDoNotRead(now);
      }
    }
  }

  private void begin(Connection connection) {
    open.add(connection);
    if (open.size() > CONNECTIONS) {
      giveWay(connection);
    }
    try {
      connection.thread.start();
    } catch (OutOfMemoryError e) {
      connection.close();
      throw e;
    }
    if (listening.isClosed()) {
      connection.close();
    }
  }

  /** Ends the connection that has been waited for longest; one that is answered only if all are. */
  private void giveWay(@Nullable Connection newcomer) {
    Connection first = null;
    for (Connection each : open) {
      if (each != newcomer && (first == null || each.givesWayBefore(first))) {
        first = each;
      }
    }
    if (first != null) {
      first.close();
    }
  }

  private void endThoseThatDoNotRead(long nowNanos) {
    for (Connection each : open) {
      if (each.isAnswered && nowNanos - each.sinceNanos > ANSWER_NANOS) {
        each.close();
      }
    }
  }

  /** Answers no more. Idempotent. */
  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      // It listens no more, which is all that was wanted.
      assert listening.isClosed();
    }
    open.forEach(Connection::close);
  }

  /** One client. Its thread does everything but ending it, which any thread may. */
  private final class Connection {
    private final Socket socket;
    private final Thread thread = threads.newThread(this::serve);
    private volatile boolean isAnswered;
    private volatile long sinceNanos = System.nanoTime();

    Connection(Socket socket) {
      this.socket = socket;
    }

    boolean givesWayBefore(Connection other) {
      return isAnswered == other.isAnswered ? sinceNanos - other.sinceNanos < 0 : other.isAnswered;
    }

    void close() {
      open.remove(this);
      try {
        socket.close();
      } catch (IOException e) {
        // Its thread notices as well.
        assert socket.isClosed();
      }
      thread.interrupt();
    }

    private void serve() {
      try {
        socket.setTcpNoDelay(true);
        Timed timed = new Timed(socket);
        InputStream in = new BufferedInputStream(timed, BUFFER_BYTES);
        boolean goesOn = true;
        while (goesOn) {
          timed.allow(IDLE_NANOS);
          int first = in.read();
          while (first == '\r' || first == '\n') {
            first = in.read();
          }
          timed.allow(REQUEST_NANOS);
          goesOn = first >= 0 && answer(first, in);
        }
      } catch (IOException | InterruptedException e) {
        // It has gone, was too slow, or had to give way.
        isAnswered = false;
      } finally {
        close();
      }
    }

    /**
     * Reads one request and answers it.
     *
     * @return whether another one may follow
     */
    private boolean answer(int first, InputStream in) throws IOException, InterruptedException {
      HttpRequest request;
      try {
        request = HttpRequest.read(first, in);
      } catch (ProtocolException e) {
        send(HttpAnswer.text(HttpAnswer.Status.BAD_REQUEST, e.getMessage() + "\n"), true, true);
        drain(in);
        return false;
      }
      sinceNanos = System.nanoTime();
      isAnswered = true;
      boolean isLast = !request.isKept();
      send(answering.answer(request), !request.method().equals("HEAD"), isLast);
      sinceNanos = System.nanoTime();
      isAnswered = false;
      if (isLast) {
        drain(in);
      }
      return !isLast;
    }

    private void send(HttpAnswer answer, boolean hasBody, boolean isLast) throws IOException {
      socket.getOutputStream().write(answer.encode(Instant.now(), hasBody, isLast));
    }

    /** Reads what still comes: a connection that is closed before destroys what was sent. */
    private void drain(InputStream in) throws IOException {
      socket.shutdownOutput();
      in.skipNBytes(UNWANTED_BYTES);
    }
  }

  /** What a client sends within the time that it has. Confined to the connection's thread. */
  private static final class Timed extends FilterInputStream {
    private final Socket socket;
    private long untilNanos;

    Timed(Socket socket) throws IOException {
      super(socket.getInputStream());
      this.socket = socket;
    }

    /** Says how long it may take from now on. */
    void allow(long nanos) {
      untilNanos = System.nanoTime() + nanos;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
      if (leftMillis <= 0) {
        throw new SocketTimeoutException("no whole request has come");
      }
      socket.setSoTimeout((int) leftMillis);
      return super.read(target, offset, length);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }
  }
}
