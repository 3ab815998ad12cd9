package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ConfigurationException;
import org.nyala.management.ServerMeters;
import org.nyala.management.http.HttpAccess;
import org.nyala.management.http.ManagementHttp;
import org.nyala.management.http.ServerHealth;
import org.nyala.management.jmxport.JmxAccount;
import org.nyala.management.page.LivePage;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsPort;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.netty.tls.TlsSockets;
import org.nyala.netty.tls.TlsStatus;

/**
 * The access to the management of a server from other machines: the HTTP port, the certificates of
 * both ports and their accounts, which a reload changes.
 *
 * <p>Thread-safe. The first part of a server to be created and the last one to be closed: its port
 * reports that the others do not serve yet.
 */
final class ManagementAccess implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ManagementAccess.class.getName());
  private static final String SECTION = "nyala.management.";

  /** The prefix of the keys of certificates. */
  private static final String TLS = SECTION + "tls.";

  private static final String ADMINISTRATOR = SECTION + "jmxAdmin";
  private static final String MONITOR = SECTION + "jmxMonitor";
  private static final String HTTP_ACCOUNT = SECTION + "httpMonitor";
  private static final String HTTP_ADMINISTRATOR = SECTION + "httpAdmin";

  private final NyalaConfig.Management started;
  private final @Nullable TlsSockets tls;
  private final @Nullable ManagementHttp http;
  private final ExtensionCertificates ofExtensions;

  /** Receives the JMX accounts; does nothing while there is no port. */
  private volatile Consumer<NyalaConfig.Jmx> doorkeeper = _ -> {};

  private ManagementAccess(
      NyalaConfig configuration, @Nullable TlsSockets tls, @Nullable ManagementHttp http) {
    this.started = configuration.management();
    this.tls = tls;
    this.http = http;
    this.ofExtensions =
        new ExtensionCertificates(configuration.extensions(), InstantSource.system());
  }

  /**
   * Reads the certificates and opens the HTTP port, if there are any.
   *
   * @param logs learn of clients that are refused, and of new certificates
   * @throws IOException if it cannot listen on the address
   * @throws ConfigurationException if a file of a certificate cannot be used
   */
  static ManagementAccess open(NyalaConfig configuration, ServerLogs logs) throws IOException {
    NyalaConfig.Management management = configuration.management();
    TlsSockets tls =
        management.tls().certificates().isEmpty() ? null : sockets(configuration, logs);
    boolean complete = false;
    try {
      ManagementHttp http = http(management.http(), tls, logs);
      complete = true;
      return new ManagementAccess(configuration, tls, http);
    } finally {
      if (!complete && tls != null) {
        tls.close();
      }
    }
  }

  private static TlsSockets sockets(NyalaConfig configuration, ServerLogs logs) {
    try {
      return TlsSockets.open(configuration.management().tls(), logs);
    } catch (TlsFileException e) {
      throw problem(configuration, e);
    }
  }

  /**
   * Reads the certificates of the ports of the management, and opens none.
   *
   * @throws ConfigurationException if a file cannot be used
   */
  static void checkTls(NyalaConfig configuration) {
    try {
      TlsSockets.check(configuration.management().tls());
    } catch (TlsFileException e) {
      throw problem(configuration, e);
    }
  }

  private static ConfigurationException problem(NyalaConfig configuration, TlsFileException e) {
    boolean isShared =
        configuration
            .management()
            .tls()
            .certificates()
            .equals(configuration.wire().tls().certificates());
    return ConfigurationException.of(
        isShared ? "nyala.tls" : "nyala.management.tls", String.valueOf(e.getMessage()));
  }

  private static @Nullable ManagementHttp http(
      NyalaConfig.Http configured, @Nullable TlsSockets tls, ServerLogs logs) throws IOException {
    if (configured.address().isEmpty()) {
      return null;
    }
    ListenAddress address = configured.address().get();
    return ManagementHttp.start(
        new InetSocketAddress(address.host(), address.port()),
        configured.isTls() ? tls : null,
        configured.access(),
        logs);
  }

  /** Returns the encryption of the JMX port; null if it is not encrypted. */
  @Nullable TlsSockets jmxTls() {
    return started.jmx().isTls() ? tls : null;
  }

  /** Adds the state of the certificates of its ports and of extensions to that of others. */
  List<TlsStatus> certificates(@Nullable TlsStatus others) {
    List<TlsStatus> all = new ArrayList<>();
    if (others != null) {
      all.add(others);
    }
    if (tls != null) {
      all.add(tls.status());
    }
    all.addAll(ofExtensions.look());
    return all;
  }

  /** Returns the address of the HTTP port, if there is one. */
  Optional<InetSocketAddress> httpAddress() {
    return Optional.ofNullable(http).map(ManagementHttp::address);
  }

  /** Shows a server. */
  void serve(ServerMeters meters, ServerHealth health, LivePage page) {
    if (http != null) {
      http.serve(meters, health, page);
      http.ready(true);
    }
  }

  /** Tells clients of the HTTP port that the server is to stop. */
  void stopping() {
    if (http != null) {
      http.ready(false);
    }
  }

  void tellOfAccounts(Consumer<NyalaConfig.Jmx> listener) {
    doorkeeper = listener;
  }

  /**
   * Reads the certificates of a configuration anew, whose files may have changed although no key
   * has.
   *
   * @return null if its ports have no certificates, before or afterwards
   * @throws ConfigurationException if a file cannot be used
   */
  TlsPort.@Nullable Renewal readTls(NyalaConfig wanted) {
    TlsSettings files = wanted.management().tls();
    if (tls == null || files.certificates().isEmpty()) {
      return null;
    }
    try {
      return tls.read(files);
    } catch (TlsFileException e) {
      throw problem(wanted, e);
    }
  }

  /** Takes the accounts over. */
  void reconfigure(NyalaConfig.Management wanted) {
    doorkeeper.accept(wanted.jmx());
    if (http != null && !http.reconfigure(wanted.http().access())) {
      LOG.log(Level.DEBUG, "a port with an account and one without differ: that takes a restart");
    }
  }

  /** Returns whether a key belongs to an account, which takes effect if there was one before. */
  static boolean isOfAccount(String key) {
    return key.startsWith(ADMINISTRATOR + ".")
        || key.startsWith(MONITOR + ".")
        || isOfHttpAccount(key);
  }

  private static boolean isOfHttpAccount(String key) {
    return key.startsWith(HTTP_ACCOUNT + ".") || key.startsWith(HTTP_ADMINISTRATOR + ".");
  }

  /** Returns whether a key names a certificate, which takes effect if there was one before. */
  static boolean isOfCertificate(String key) {
    return key.startsWith(TLS);
  }

  /** Returns whether a change of a key takes effect now. */
  boolean takesEffect(String key, NyalaConfig wanted) {
    if (isOfCertificate(key)) {
      return tls != null && !wanted.management().tls().certificates().isEmpty();
    }
    return isOfHttpAccount(key)
        ? keepsHttpAccounts(wanted.management())
        : isOfAccount(key) && keepsJmxAccounts(wanted.management());
  }

  /**
   * Returns whether accounts stay configured or absent: the rules differ, and a change between them
   * needs a restart.
   */
  private boolean keepsJmxAccounts(NyalaConfig.Management wanted) {
    return !started.jmx().accounts().isEmpty() && !wanted.jmx().accounts().isEmpty();
  }

  private boolean keepsHttpAccounts(NyalaConfig.Management wanted) {
    return wanted.http().access().isLike(started.http().access());
  }

  /**
   * Returns the keys of accounts that differ: passwords are not shown, and may have changed in
   * files of their own.
   */
  List<String> changedAccounts(NyalaConfig inForce, NyalaConfig wanted) {
    NyalaConfig.Management before = inForce.management();
    NyalaConfig.Management after = wanted.management();
    List<JmxAccount> accounts = after.jmx().accounts();
    HttpAccess access = after.http().access();
    HttpAccess accessBefore = before.http().access();
    List<String> changed = new ArrayList<>();
    if (keepsJmxAccounts(after) && !accounts.equals(before.jmx().accounts())) {
      changed.add(ADMINISTRATOR + ", " + MONITOR);
    }
    if (keepsHttpAccounts(after)) {
      if (!access.monitor().equals(accessBefore.monitor())) {
        changed.add(HTTP_ACCOUNT);
      }
      if (!access.admin().equals(accessBefore.admin())) {
        changed.add(HTTP_ADMINISTRATOR);
      }
    }
    return changed;
  }

  /** Closes the HTTP port; the JMX port is not its own. Idempotent. */
  @Override
  public void close() {
    if (http != null) {
      http.close();
    }
    if (tls != null) {
      tls.close();
    }
  }
}
