package org.nyala.netty.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The encryption of a server's connections. The JDK's engine makes signatures on threads of their
 * own: one with RSA takes as long as many searches.
 *
 * <p>Thread-safe.
 */
public final class TlsPort implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(TlsPort.class.getName());
  private static final int IDLE_SECONDS = 10;

  /** The rest of a certificate's validity that is worth a warning: ACME clients renew earlier. */
  private static final Duration SOON = Duration.ofDays(14);

  /** The time for which a connection that ends waits to send that it does. */
  private static final long FAREWELL_MILLIS = 1000;

  private final HandshakeLog handshakes;
  private final ThreadPoolExecutor signers;
  private volatile TlsMaterial material;
  private volatile long handshakeMillis;

  private TlsPort(TlsMaterial material, long handshakeMillis, HandshakeLog handshakes) {
    int threads = Runtime.getRuntime().availableProcessors();
    this.handshakes = handshakes;
    this.material = material;
    this.handshakeMillis = handshakeMillis;
    this.signers =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("nyala-tls", true));
    this.signers.allowCoreThreadTimeOut(true);
    log(material);
  }

  private static void log(TlsMaterial material) {
    Instant end = material.firstEnd();
    boolean isSoon = end.isBefore(Instant.now().plus(SOON));
    LOG.log(
        isSoon ? Level.WARNING : Level.INFO,
        "TLS by {0}; the first of the certificates is valid until {1}",
        material.isNative() ? "BoringSSL" : "the JDK",
        end.toString());
  }

  /**
   * Reads certificates and keys.
   *
   * @param metrics counts handshakes
   * @return null if the settings name no certificates
   * @throws TlsFileException if a file cannot be used
   */
  public static @Nullable TlsPort open(TlsSettings settings, ServerMetrics metrics)
      throws TlsFileException {
    return settings.certificates().isEmpty()
        ? null
        : new TlsPort(
            TlsMaterial.read(settings), settings.handshakeMillis(), new HandshakeLog(metrics));
  }

  /**
   * Reads certificates and keys anew.
   *
   * @return takes them over: open connections keep theirs
   * @throws TlsFileException if a file cannot be used
   */
  public Runnable read(TlsSettings settings) throws TlsFileException {
    TlsMaterial read = TlsMaterial.read(settings);
    return () -> {
      material = read;
      handshakeMillis = settings.handshakeMillis();
      log(read);
    };
  }

  /**
   * Prepares to encrypt what a channel sends and receives; on its event loop.
   *
   * @param memory the account of the connection
   * @param partialMillis the time for which a record may be in part; 0 is for ever
   * @param established takes the bits of the cipher's key when the handshake has succeeded
   */
  public TlsEncryption prepare(
      Channel channel, MemoryAccount memory, LongSupplier partialMillis, IntConsumer established) {
    SslHandler handler = material.context().newHandler(channel.alloc(), signers);
    handler.setHandshakeTimeoutMillis(handshakeMillis);
    handler.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
    return new TlsEncryption(
        new PartialRecords(memory, partialMillis),
        handler,
        new TlsHandshakes(handshakes, handler.engine(), established));
  }

  /** Ends the threads when they have nothing to do. */
  @Override
  public void close() {
    signers.shutdown();
  }
}
