package org.nyala.config;

import static org.nyala.config.ConfigSection.MANY;
import static org.nyala.config.ConfigSection.THREADS;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.TrustedProxies;
import org.nyala.netty.tls.TlsSettings;

/** Reads the configuration of connections: listeners and limits. */
final class WireConfiguration {
  private static final String DEFAULT_LISTENER =
      ListenAddress.url("127.0.0.1", ListenAddress.DEFAULT_PORT, false);
  private static final int MILLIS_PER_SECOND = 1000;
  private static final int DAY_SECONDS = 86_400;
  private static final int MOST_BITS = 256;
  private static final String NO_CERTIFICATE =
      "ldaps:// needs a certificate: set nyala.tls.certificate";
  private static final List<String> ENGINES = List.of(ConfigSection.AUTO, "boringssl", "jdk");

  private final ConfigSection root;
  private final Path base;

  private WireConfiguration(ConfigSection root, Path base) {
    this.root = root;
    this.base = base;
  }

  /**
   * Reads it from the whole file.
   *
   * @param base the folder that relative paths are relative to
   */
  static WireSettings read(ConfigSection root, Path base) {
    return new WireConfiguration(root, base).wire();
  }

  private WireSettings wire() {
    // Read whether there is such a listener or not, so that its keys are known.
    LocalSocket _ = local(Path.of(""));
    TrustedProxies _ = proxies(root.section("proxy").textsOrEmpty("from"));
    ConfigSection section = root.section("limits");
    WireSettings d = WireSettings.on("127.0.0.1", ListenAddress.DEFAULT_PORT);
    int anonymous =
        section.integer("pduLimitAnonymousBytes", d.pduLimits().anonymousBytes(), 1024, MANY);
    TlsSettings tls = tls(d.tls());
    int low = section.integer("writeBufferLowBytes", d.waterMarks().lowBytes(), 0, MANY);
    return new WireSettings(
        listeners(tls),
        transport(),
        loops(d.loops()),
        new WireSettings.PduLimits(
            anonymous,
            section.integer("pduLimitBoundBytes", d.pduLimits().boundBytes(), anonymous, MANY)),
        new WireSettings.Connections(
            section.integer("connections", d.connections().all(), 0, MANY),
            section.integer("connectionsPerAddress", d.connections().perAddress(), 0, MANY)),
        timeouts(section, d.timeouts()),
        new WireSettings.WaterMarks(
            low, section.integer("writeBufferHighBytes", d.waterMarks().highBytes(), low, MANY)),
        connectionTable(),
        new WireSettings.Rates(
            section.integer("partialPduBytesPerSecond", d.rates().receiveBytesPerSecond(), 0, MANY),
            section.integer("writeStallBytesPerSecond", d.rates().sendBytesPerSecond(), 0, MANY)),
        codec(),
        tls);
  }

  private TlsSettings tls(TlsSettings d) {
    ConfigSection section = root.section("tls");
    List<TlsSettings.Files> files = new ArrayList<>();
    files(section, base).ifPresent(files::add);
    for (ConfigSection further : section.sections("certificates")) {
      if (further.has("password")) {
        throw further.problem("password", "expected passwordFile: lists are shown as a whole");
      }
      files.add(
          files(further, base)
              .orElseThrow(() -> further.problem("certificate", "expected the name of a file")));
      further.rejectUnknownKeys();
    }
    String engine = section.word("engine", ConfigSection.AUTO, ENGINES);
    int seconds = (int) (d.handshakeMillis() / MILLIS_PER_SECOND);
    return new TlsSettings(
        TlsSettings.Engine.valueOf(engine.toUpperCase(Locale.ROOT)),
        files,
        (long) section.integer("handshakeTimeoutSeconds", seconds, 1, DAY_SECONDS)
            * MILLIS_PER_SECOND,
        section.integer("checkIntervalSeconds", d.checkSeconds(), 1, DAY_SECONDS),
        ClientCertificateConfiguration.read(section, base, !files.isEmpty()));
  }

  /** Reads the files of one certificate; nothing if the section names none. */
  static Optional<TlsSettings.Files> files(ConfigSection section, Path base) {
    Optional<String> key = section.text("key");
    Optional<String> password = section.secret("password", base);
    if (key.isPresent() && !section.has("certificate")) {
      throw section.problem("key", "expected certificate as well");
    }
    return section
        .text("certificate")
        .map(
            certificate ->
                new TlsSettings.Files(
                    base.resolve(certificate),
                    key.map(base::resolve).orElse(null),
                    password.orElse(null)));
  }

  private WireSettings.Loops loops(WireSettings.Loops d) {
    ConfigSection section = root.section("dispatch");
    return new WireSettings.Loops(
        section.integerOrAuto("eventLoops", 1, THREADS),
        section.integer("connectionsPerEventLoop", d.connectionsPerLoop(), 1, MANY));
  }

  private static WireSettings.Timeouts timeouts(ConfigSection section, WireSettings.Timeouts d) {
    return new WireSettings.Timeouts(
        millis(section, "partialPduTimeoutSeconds", d.partialPduMillis()),
        millis(section, "idleTimeoutSeconds", d.idleMillis()),
        millis(section, "writeStallTimeoutSeconds", d.writeStallMillis()),
        millis(section, "drainTimeoutSeconds", d.drainMillis()));
  }

  private WireSettings.Table connectionTable() {
    ConfigSection section = root.section("dispatch");
    String label = section.text("connectionTable", WireSettings.Table.PER_LOOP.label());
    try {
      return WireSettings.Table.parse(label);
    } catch (IllegalArgumentException e) {
      throw section.problem("connectionTable", ErrorMessages.line(e) + ", found '" + label + "'");
    }
  }

  private static long millis(ConfigSection section, String key, long defaultMillis) {
    int seconds = (int) (defaultMillis / MILLIS_PER_SECOND);
    return (long) section.integer(key, seconds, 0, DAY_SECONDS) * MILLIS_PER_SECOND;
  }

  private List<WireSettings.Listener> listeners(TlsSettings tls) {
    List<String> urls = root.texts("listeners", List.of(DEFAULT_LISTENER));
    if (urls.isEmpty()) {
      throw root.problem("listeners", "expected at least one listener");
    }
    List<WireSettings.Listener> listeners;
    try {
      listeners = urls.stream().map(ListenAddress::parse).map(this::listener).toList();
    } catch (IllegalArgumentException e) {
      throw root.problem("listeners", ErrorMessages.line(e));
    }
    if (tls.certificates().isEmpty() && listeners.stream().anyMatch(WireSettings.Listener::isTls)) {
      throw root.problem("listeners", NO_CERTIFICATE);
    }
    return listeners;
  }

  private WireSettings.Listener listener(ListenAddress address) {
    if (address.isLocal()) {
      return new WireSettings.Listener(local(Path.of(address.path())));
    }
    if (!address.isProxied()) {
      return address.toListener();
    }
    List<String> from = root.section("proxy").textsOrEmpty("from");
    if (from.isEmpty()) {
      throw root.problem("listeners", "pldap:// needs the proxies to trust: set nyala.proxy.from");
    }
    return address.toListener().behind(proxies(from));
  }

  private TrustedProxies proxies(List<String> from) {
    try {
      return new TrustedProxies(from);
    } catch (IllegalArgumentException e) {
      throw root.section("proxy").problem("from", ErrorMessages.line(e));
    }
  }

  private LocalSocket local(Path path) {
    ConfigSection section = root.section("ldapi");
    String mode = section.text("mode", "rw-rw-rw-");
    try {
      return new LocalSocket(
          path,
          PosixFilePermissions.fromString(mode),
          section.text("group").orElse(""),
          section.integer("strengthBits", LocalSocket.STRENGTH_BITS, 0, MOST_BITS));
    } catch (IllegalArgumentException e) {
      throw section.problem("mode", "expected permissions such as rw-rw----, found '" + mode + "'");
    }
  }

  /**
   * Checks that there is a certificate if any listener needs one.
   *
   * @throws ConfigurationException if there is none
   */
  static void requireCertificate(TlsSettings tls, boolean isNeeded) {
    if (isNeeded && tls.certificates().isEmpty()) {
      throw ConfigurationException.of("nyala.listeners", NO_CERTIFICATE);
    }
  }

  private WireSettings.Codec codec() {
    String word = root.word("codec", "direct", List.of("direct", "apache"));
    return WireSettings.Codec.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private WireSettings.Transport transport() {
    List<String> offered = List.of(ConfigSection.AUTO, "epoll", "io_uring", "nio");
    String word = root.word("transport", ConfigSection.AUTO, offered);
    return WireSettings.Transport.valueOf(word.toUpperCase(Locale.ROOT));
  }
}
