package org.nyala.config;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.nyala.core.limits.Keys;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.TrustedProxies;
import org.nyala.netty.tls.ClientCertificates;
import org.nyala.netty.tls.ClientCertificates.Demand;
import org.nyala.netty.tls.ClientCertificates.Revocation;
import org.nyala.netty.tls.TlsSettings;

/** Reads the configuration of connections: listeners and limits. */
final class WireConfiguration {
  private static final String DEFAULT_LISTENER =
      ListenAddress.url("127.0.0.1", ListenAddress.DEFAULT_PORT, false);
  private static final int MOST_BITS = 256;
  private static final String NO_CERTIFICATE =
      "ldaps:// needs a certificate: set nyala.tls.certificate";

  private static final String NONE = "none";
  private static final String DEMAND = "clientCertificate";
  private static final String REVOCATION = "clientRevocation";
  private final ConfigSection root;

  private WireConfiguration(ConfigSection root) {
    this.root = root;
  }

  /** Reads it from the whole file. */
  static WireSettings read(ConfigSection root) {
    return new WireConfiguration(root).wire();
  }

  private WireSettings wire() {
    // Read whether there is such a listener or not, so that its keys are known.
    LocalSocket _ = local(Path.of(""));
    TrustedProxies _ = proxies(root.section("proxy").textsOrEmpty("from"));
    TlsSettings tls = tls();
    return WireSettings.read(root, listeners(tls), connectionTable(), tls);
  }

  private TlsSettings tls() {
    ConfigSection section = root.section("tls");
    List<TlsSettings.Files> files = new ArrayList<>();
    files(section).ifPresent(files::add);
    for (ConfigSection further : section.sections("certificates")) {
      if (further.has("password")) {
        throw further.problem("password", "expected passwordFile: lists are shown as a whole");
      }
      files.add(
          files(further)
              .orElseThrow(() -> further.problem("certificate", "expected the name of a file")));
      further.rejectUnknownKeys();
    }
    return TlsSettings.read(section, files, clients(section, !files.isEmpty()));
  }

  /** Reads the files of one certificate; nothing if the section names none. */
  static Optional<TlsSettings.Files> files(ConfigSection section) {
    Optional<Path> key = section.path("key");
    Optional<String> password = section.password("password");
    if (key.isPresent() && !section.has("certificate")) {
      throw section.problem("key", "expected certificate as well");
    }
    return section
        .path("certificate")
        .map(file -> new TlsSettings.Files(file, key.orElse(null), password.orElse(null)));
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

  /**
   * Reads it from the section of TLS.
   *
   * @param isPossible true if connections can be encrypted
   * @throws org.nyala.error.ConfigurationException also if it demands what it names no files for
   */
  private static ClientCertificates clients(ConfigSection section, boolean isPossible) {
    Demand demand = Demand.valueOf(word(section, DEMAND, List.of(NONE, "optional", "required")));
    Revocation revocation =
        Revocation.valueOf(word(section, REVOCATION, List.of(NONE, "crl", "ocsp")));
    Path authorities = section.path("clientCa").orElse(null);
    Path lists = section.path("clientCrl").orElse(null);
    if (demand != Demand.NONE && authorities == null) {
      throw section.problem(DEMAND, "needs the authorities to trust: set nyala.tls.clientCa");
    }
    if (demand != Demand.NONE && !isPossible) {
      throw section.problem(DEMAND, "needs a certificate of the server: set nyala.tls.certificate");
    }
    if (revocation == Revocation.CRL && lists == null) {
      throw section.problem(REVOCATION, "needs the revocation lists: set nyala.tls.clientCrl");
    }
    if (demand != Demand.NONE && revocation == Revocation.NONE && lists != null) {
      throw section.problem(
          "clientCrl", "has no effect: set nyala.tls.clientRevocation, or remove it");
    }
    return Keys.read(ClientCertificates.class, section);
  }

  private static String word(ConfigSection section, String key, List<String> offered) {
    return section.word(key, NONE, offered).toUpperCase(Locale.ROOT);
  }
}
