package org.nyala.migrate;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/** The directives of TLS, which take effect with the same files. Stateless. */
final class TlsDirectives {
  static final Set<String> NAMES =
      Set.of(
          "tlscertificatefile",
          "tlscertificatekeyfile",
          "tlscacertificatefile",
          "tlscacertificatepath",
          "tlsverifyclient",
          "tlscrlfile",
          "tlscrlcheck",
          "tlsprotocolmin",
          "tlsciphersuite");

  /** The versions that slapd accepts at least, of which only the newer ones are accepted here. */
  private static final Set<String> OLDER =
      Set.of("0.0", "2", "2.0", "3", "3.0", "3.1", "3.2", "3.3");

  private static final String CLIENTS = "tls.clientCertificate";

  private TlsDirectives() {}

  static void translate(Translation translation) {
    SlapdDatabase global = translation.global();
    Optional<SlapdDirective> certificate = global.directive("tlscertificatefile");
    Optional<SlapdDirective> key = global.directive("tlscertificatekeyfile");
    certificate.ifPresent(each -> file(translation, each, "tls.certificate"));
    key.filter(_ -> certificate.isPresent()).ifPresent(each -> file(translation, each, "tls.key"));
    Optional<SlapdDirective> authorities = global.directive("tlscacertificatefile");
    boolean isAsking =
        certificate.isPresent()
            && global.directive("tlsverifyclient").map(TlsDirectives::asks).orElse(false);
    authorities(translation, certificate.isPresent(), isAsking);
    if (isAsking) {
      global
          .directive("tlsverifyclient")
          .ifPresent(each -> clients(translation, each, authorities.isPresent()));
    }
    bounds(translation, global);
    revocation(translation, global, isAsking && authorities.isPresent());
    listeners(translation, certificate.isPresent());
  }

  private static void authorities(Translation translation, boolean isEncrypted, boolean isAsking) {
    SlapdDatabase global = translation.global();
    global
        .directive("tlscacertificatefile")
        .filter(_ -> isEncrypted)
        .ifPresent(
            each -> {
              if (isAsking) {
                file(translation, each, "tls.clientCa");
              }
              translation.different(
                  each,
                  "the certificates that vouch for the server's own belong in the file of"
                      + " tls.certificate, after it");
            });
    for (SlapdDirective each : global.directives("tlscacertificatepath")) {
      if (isAsking) {
        translation.missing(
            each, "a folder; those who vouch for clients are in one file, that of tls.clientCa");
      }
    }
  }

  private static void bounds(Translation translation, SlapdDatabase global) {
    for (SlapdDirective each : global.directives("tlsprotocolmin")) {
      boolean isLost = !OLDER.contains(each.value());
      translation.note(
          isLost ? Kind.MISSING : Kind.NEEDLESS,
          each,
          isLost ? "TLS 1.2 is accepted beside TLS 1.3" : "TLS 1.2 and 1.3 alone are accepted");
    }
    for (SlapdDirective each : global.directives("tlsciphersuite")) {
      translation.different(each, "the server has its own list of ciphers");
    }
  }

  private static void file(Translation translation, SlapdDirective directive, String key) {
    translation.set(
        directive,
        key,
        ConfigurationDraft.text(directive.value()),
        "the server's user must be able to read " + directive.value());
  }

  private static boolean asks(SlapdDirective directive) {
    return !directive.value().equalsIgnoreCase("never");
  }

  private static void clients(
      Translation translation, SlapdDirective directive, boolean hasAuthorities) {
    String value = directive.value().toLowerCase(Locale.ROOT);
    if (!hasAuthorities) {
      translation.missing(
          directive,
          "clients are not asked for certificates: name those who vouch for them in tls.clientCa");
    } else if (value.equals("allow")) {
      translation.set(
          directive, CLIENTS, "optional", "a bad certificate ends the handshake, as with try");
    } else if (value.equals("try")) {
      translation.set(directive, CLIENTS, "optional");
    } else {
      translation.set(directive, CLIENTS, "required");
    }
  }

  private static void revocation(Translation translation, SlapdDatabase global, boolean isAsking) {
    boolean isChecked =
        global
            .directive("tlscrlcheck")
            .filter(each -> !each.value().equalsIgnoreCase("none"))
            .isPresent();
    for (SlapdDirective each : global.directives("tlscrlfile")) {
      if (isChecked && isAsking) {
        translation.set("tls.clientRevocation", "crl", null);
        file(translation, each, "tls.clientCrl");
      } else {
        translation.needless(each, "revocation of client certificates is not checked");
      }
    }
    for (SlapdDirective each : global.directives("tlscrlcheck")) {
      boolean isLost = isChecked && isAsking && global.directive("tlscrlfile").isEmpty();
      translation.note(
          isLost ? Kind.MISSING : Kind.NEEDLESS,
          each,
          isLost
              ? "revocation of client certificates is not checked: name the lists in tls.clientCrl,"
                  + " and set tls.clientRevocation = crl"
              : "part of tls.clientRevocation");
    }
  }

  /* On this machine alone: opening a directory to a network should be a decision. */
  private static void listeners(Translation translation, boolean isEncrypted) {
    translation.set(
        "listeners",
        isEncrypted
            ? "[\"ldap://127.0.0.1:1389\", \"ldaps://127.0.0.1:1636\"]"
            : "[\"ldap://127.0.0.1:1389\"]",
        "For comparing on this machine; in the end those of slapd -h, such as"
            + " ldap://0.0.0.0:389.");
    translation.different(
        "slapd -h",
        "listeners are on this machine alone until you name addresses, on ports 1389"
            + (isEncrypted ? " and 1636" : ""));
    if (!isEncrypted) {
      translation.different(
          "clear text",
          "slapd has no certificate: without tls.certificate, and unless"
              + " security.minimumStrength.simpleBind = 0, clients of other machines cannot log"
              + " in");
    } else {
      translation.different(
          "clear text",
          "simple binds from other machines have to be encrypted, unless"
              + " security.minimumStrength.simpleBind = 0");
    }
  }
}
