package org.nyala.netty.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.System.Logger.Level;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The encryption of a server's connections. The JDK's engine makes signatures on threads of their
 * own: one with RSA takes as long as many searches. Both engines verify clients' certificates
 * there.
 *
 * <p>Thread-safe.
 */
public final class TlsPort implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(TlsPort.class.getName());
  private static final int IDLE_SECONDS = 10;
  private static final String KEPT = "the former certificates stay in use: ";

  /** The reason, for logs and clients, why a connection is not encrypted. */
  public static final String NO_MEMORY =
      "there is no memory for another encrypted connection (limits.memory)";

  /** The rest of a certificate's validity that is worth a warning: ACME clients renew earlier. */
  private static final Duration SOON = Duration.ofDays(14);

  /** The time for which a connection that ends waits to send that it does. */
  private static final long FAREWELL_MILLIS = 1000;

  /** The words for the log that tell it from others. */
  private final String purpose;

  private final HandshakeLog handshakes;
  private final TlsListener listener;
  private final ThreadPoolExecutor signers;

  /** Runs the tasks of handshakes that wait for OCSP responders, which others do not wait for. */
  private final ExecutorService waiting =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("nyala-tls-waits-", 0).factory());

  private volatile TlsMaterial material;
  private volatile TlsSettings settings;

  private final ScheduledThreadPoolExecutor watch =
      new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("nyala-certificates", true));

  /** The states of the files that are in use. */
  private volatile FileStamps read;

  /** The states of the files at the last look. */
  private FileStamps seen;

  /** The reason why changed files are not in use; empty if they are. */
  private volatile String failure = "";

  private TlsPort(
      TlsMaterial material,
      TlsSettings settings,
      FileStamps read,
      HandshakeLog handshakes,
      TlsListener listener,
      String purpose) {
    int threads = Runtime.getRuntime().availableProcessors();
    this.purpose = purpose;
    this.handshakes = handshakes;
    this.listener = listener;
    this.material = material;
    this.settings = settings;
    this.read = read;
    this.seen = read;
    this.signers =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("nyala-tls", true));
    this.signers.allowCoreThreadTimeOut(true);
    this.watch.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    schedule();
    log(material);
  }

  private void log(TlsMaterial material) {
    Instant end = material.firstEnd();
    boolean isSoon = end.isBefore(Instant.now().plus(SOON));
    LOG.log(
        isSoon ? Level.WARNING : Level.INFO,
        "TLS{0} by {1}; the certificate {2} ends on {3}",
        purpose,
        material.isNative() ? "BoringSSL" : "the JDK",
        material.firstEnding(),
        end.toString());
  }

  /**
   * Reads certificates and keys.
   *
   * @param metrics counts handshakes
   * @param listener learns of failed handshakes and new certificates
   * @return null if the settings name no certificates
   * @throws TlsFileException if a file cannot be used
   */
  public static @Nullable TlsPort open(
      TlsSettings settings, ServerMetrics metrics, TlsListener listener) throws TlsFileException {
    return open(settings, metrics, listener, "");
  }

  /**
   * Reads certificates and keys.
   *
   * @param purpose words for the log that follow "TLS"
   */
  static @Nullable TlsPort open(
      TlsSettings settings, ServerMetrics metrics, TlsListener listener, String purpose)
      throws TlsFileException {
    if (settings.certificates().isEmpty()) {
      return null;
    }
    FileStamps before = FileStamps.of(settings);
    return new TlsPort(
        TlsMaterial.read(settings),
        settings,
        before,
        new HandshakeLog(metrics, listener),
        listener,
        purpose);
  }

  /**
   * Reads certificates and keys as a port does, and opens none.
   *
   * @throws TlsFileException if a file cannot be used
   */
  public static void check(TlsSettings settings) throws TlsFileException {
    if (!settings.certificates().isEmpty()) {
      TlsMaterial _ = TlsMaterial.read(settings);
    }
  }

  /**
   * A certificate of a server's files.
   *
   * <p>Immutable.
   *
   * @param files the names of its files, for people
   * @param subject its subject, for people
   * @param begin the time from which it is valid
   * @param end the time until which it is valid
   * @param names the names that it is for, in lower case; the first label may be a wildcard
   */
  public record Certified(
      String files, String subject, Instant begin, Instant end, List<String> names) {
    public Certified {
      names = List.copyOf(names);
    }

    /** Describes any certificate. */
    public static Certified of(String files, X509Certificate certificate) {
      return new Certified(
          files,
          CertificateText.printable(TlsCertificate.name(certificate)),
          certificate.getNotBefore().toInstant(),
          certificate.getNotAfter().toInstant(),
          TlsCertificate.hostNames(certificate));
    }

    /** Returns whether clients that connect to a host accept the name. */
    public boolean isFor(String host) {
      return TlsCertificate.isAmong(names, host);
    }
  }

  /**
   * Reads certificates and keys as a port does, and opens none.
   *
   * @return the certificates, in the order of the settings
   * @throws TlsFileException if a file cannot be used
   */
  public static List<Certified> certified(TlsSettings settings) throws TlsFileException {
    List<Certified> found = new ArrayList<>();
    if (settings.certificates().isEmpty()) {
      return found;
    }
    List<TlsCertificate> read = TlsMaterial.read(settings).certificates();
    for (int i = 0; i < read.size(); i++) {
      found.add(Certified.of(settings.certificates().get(i).toString(), read.get(i).leaf()));
    }
    return found;
  }

  /**
   * Certificates and keys that were read, and are not yet in use.
   *
   * <p>Immutable.
   *
   * @param isOther true if their files differ from those in use
   * @param firstEnd the end of validity that comes first among the server's certificates
   * @param takeOver has new connections use them: open ones keep theirs
   */
  public record Renewal(boolean isOther, Instant firstEnd, Runnable takeOver) {}

  /**
   * Reads certificates and keys anew.
   *
   * @throws TlsFileException if a file cannot be used
   */
  public Renewal read(TlsSettings other) throws TlsFileException {
    FileStamps before = FileStamps.of(other);
    TlsMaterial next = TlsMaterial.read(other);
    return new Renewal(!before.equals(read), next.firstEnd(), () -> takeOver(next, other, before));
  }

  /** The material and the settings in use at one time. */
  private record InUse(TlsMaterial material, TlsSettings settings) {}

  private synchronized InUse inUse() {
    return new InUse(material, settings);
  }

  private boolean isStill(InUse before) {
    return material == before.material && settings == before.settings;
  }

  private synchronized void takeOver(TlsMaterial next, TlsSettings other, FileStamps of) {
    material = next;
    settings = other;
    read = of;
    failure = "";
    log(next);
    listener.certificatesTaken(purpose, next.firstEnd());
  }

  /**
   * Reads the files anew if they have changed and stayed the same between two looks: they are
   * replaced one after the other. If they cannot be used, the former certificates stay in use, and
   * the next look tries again. On a thread of its own, because files may be far away. If others
   * were taken over meanwhile, what it has read is of no use.
   */
  private void look() {
    InUse before = inUse();
    TlsSettings now = before.settings;
    FileStamps present = FileStamps.of(now);
    boolean isSettled = present.equals(seen);
    seen = present;
    if (isSettled && !(present.equals(read) && failure.isEmpty())) {
      try {
        renew(before, TlsMaterial.read(now), present);
      } catch (TlsFileException | RuntimeException | Error e) {
        failed(before, String.valueOf(e.getMessage()));
      }
    }
  }

  private synchronized void renew(InUse before, TlsMaterial next, FileStamps of) {
    if (isStill(before)) {
      takeOver(next, before.settings, of);
    }
  }

  private synchronized void failed(InUse before, String message) {
    if (!isStill(before)) {
      return;
    }
    if (!message.equals(failure)) {
      LOG.log(Level.WARNING, "the former certificates{0} stay in use: {1}", purpose, message);
      listener.certificatesRefused(purpose, message);
    }
    failure = message;
  }

  private void lookAgain() {
    try {
      look();
    } finally {
      try {
        schedule();
      } catch (RejectedExecutionException e) {
        LOG.log(Level.DEBUG, "the server ends", e);
      }
    }
  }

  private void schedule() {
    Future<?> _ = watch.schedule(this::lookAgain, settings.checkSeconds(), TimeUnit.SECONDS);
  }

  /** Returns the context of the certificates in use, of settings with the JDK's engine. */
  JdkSslContext jdkContext() {
    return (JdkSslContext) material.context();
  }

  /** Returns the state at the last look. Never blocks. */
  public synchronized TlsStatus status() {
    String reason = failure.isEmpty() ? material.lapse(Instant.now()) : KEPT + failure;
    return new TlsStatus(material.firstEnd(), material.firstEnding(), reason);
  }

  /**
   * Prepares to encrypt what a channel sends and receives; on its event loop.
   *
   * @param slot the place for its engine, of {@link TlsEncryption#ENGINE_BYTES}; null if there is
   *     none
   * @param memory the account of the connection
   * @param partialMillis the time for which a record may be in part; 0 is for ever
   * @param established takes the outcome of the handshake when it has succeeded
   * @return null if there is no place for another engine: the handshake has failed then
   */
  public @Nullable TlsEncryption prepare(
      Channel channel,
      OwnedSlots.@Nullable Slot slot,
      MemoryAccount memory,
      LongSupplier partialMillis,
      Consumer<TlsPeer> established) {
    if (slot == null) {
      handshakes.failed(channel, new SSLException(NO_MEMORY));
      return null;
    }
    try {
      return prepared(channel, slot, memory, partialMillis, established);
    } catch (Throwable e) {
      slot.giveBack();
      throw e;
    }
  }

  private TlsEncryption prepared(
      Channel channel,
      OwnedSlots.Slot slot,
      MemoryAccount memory,
      LongSupplier partialMillis,
      Consumer<TlsPeer> established) {
    TlsMaterial now = material;
    SslHandler handler = now.handler(channel.alloc(), now.isWaiting() ? waiting : signers);
    handler.setHandshakeTimeoutMillis(settings.handshakeMillis());
    handler.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
    PartialRecords records = new PartialRecords(memory, partialMillis);
    Consumer<TlsPeer> once =
        peer -> {
          records.established();
          established.accept(peer);
        };
    return new TlsEncryption(
        slot,
        records,
        handler,
        new TlsHandshakes(handshakes, handler.engine(), now.certificates(), once));
  }

  /** Ends the threads when they have nothing to do. */
  @Override
  public void close() {
    watch.shutdownNow();
    signers.shutdown();
    waiting.shutdown();
  }
}
