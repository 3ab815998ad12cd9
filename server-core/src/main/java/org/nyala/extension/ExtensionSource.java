package org.nyala.extension;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The source of an extension, which the server finds by {@link java.util.ServiceLoader}: among its
 * own classes, and in the jars of the folder {@code extensions} of the installation, each of which
 * has a class loader of its own. The class is public and has a public constructor without
 * parameters.
 *
 * <p>Immutable.
 */
public interface ExtensionSource {
  /** The version of this package that the server has; the first number changes with what breaks. */
  String INTERFACE = "1.0";

  /** Returns the name of the extension, and of its object in the configuration, below nyala. */
  String name();

  /** Returns the version of the extension, for people to read. */
  String version();

  /** Returns the version of this package that it was built with: the constant in the source. */
  String builtWith();

  /**
   * Reads the object of the configuration, which is empty if the file has none, and all of its
   * keys, so that each is known whatever the values of others are.
   *
   * @return the extension that it asks for; nothing if it asks for none
   * @throws RuntimeException that of {@link Section#problem}
   */
  Optional<Configured> read(Section section);

  /** Returns what it translates of slapd's configuration; nothing by default. */
  default List<OverlayTranslator> migrates() {
    return List.of();
  }

  /** Returns commands of {@code bin/nyala}; none by default. */
  default List<Command> commands() {
    return List.of();
  }

  /**
   * A certificate of a file that the configuration of an extension names. Immutable.
   *
   * @param files the names of its files, for people
   * @param certificate the certificate
   * @param host the name or address by which others reach this server, for which it has to be
   *     valid; empty if it is not this server's own, as that of an authority
   */
  record NamedCertificate(String files, X509Certificate certificate, String host) {}

  /** An extension as it is configured. Immutable. */
  @FunctionalInterface
  interface Configured {
    /**
     * Returns a new extension for a server that starts, or for a check of its configuration; it is
     * closed after use.
     */
    Extension open();

    /**
     * Returns the names of the attributes that need an equality index, because changes look values
     * up by it: the server does not start without them, and keeps them from being dropped.
     */
    default Set<String> equalityIndexes() {
      return Set.of();
    }

    /**
     * Reads the certificates that it would use, and their keys, as the files are now. {@code nyala
     * doctor} examines them, and {@code nyala tls check} describes them, in a process of their own;
     * the server reads them once a minute, for its alarms.
     *
     * @throws IOException if a file cannot be used; the message says which, and why
     */
    default List<NamedCertificate> certificates() throws IOException {
      return List.of();
    }
  }
}
