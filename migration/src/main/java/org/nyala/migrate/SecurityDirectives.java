package org.nyala.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/** TLS, and how clients come in: strength, SASL and unbound clients. Stateless. */
final class SecurityDirectives {
  static final Set<String> NAMES =
      Set.of(
          "security",
          "localssf",
          "require",
          "allow",
          "disallow",
          "authzregexp",
          "saslhost",
          "saslrealm",
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

  private static final String STRENGTH = "security.minimumStrength.";
  private static final String LOCAL = "71";
  private static final int MAXIMUM_BITS = 256;

  /** A pattern about the names that SASL gives users: the user, and the mechanism or a realm. */
  private static final Pattern USER =
      Pattern.compile("\\^?uid=(.+?),(?:cn=[^,=]+,)?cn=(\\[\\^,][*+]|\\.[*+]|[^,=]+),cn=auth\\$?");

  /** A pattern about a process of this machine. */
  private static final Pattern PROCESS =
      Pattern.compile("\\^?(gidNumber=.+),cn=peercred,cn=external,cn=auth\\$?");

  /** A pattern about a user of Kerberos, with the realm unless it is slapd's own. */
  private static final Pattern KERBEROS =
      Pattern.compile("(?i)\\^?uid=(.+?)(?:,cn=([a-z0-9.\\\\-]+))?,cn=gssapi,cn=auth\\$?");

  /** A pattern about the subject of a certificate. */
  private static final Pattern SUBJECT =
      Pattern.compile("(?i)\\^?((?:cn|uid|email(?:address)?|ou|o|serialnumber)=.+?)\\$?");

  private static final Pattern URL = Pattern.compile("[a-zA-Z]+://");

  /** Mechanisms whose names have another form here. */
  private static final Set<String> NAMED_ELSEWHERE = Set.of("gssapi", "gs2-krb5", "external");

  private SecurityDirectives() {}

  static void translateTls(Translation translation) {
    SlapdDatabase global = translation.global();
    Optional<SlapdDirective> certificate = global.directive("tlscertificatefile");
    Optional<SlapdDirective> key = global.directive("tlscertificatekeyfile");
    certificate.ifPresent(each -> file(translation, each, "tls.certificate"));
    key.filter(_ -> certificate.isPresent()).ifPresent(each -> file(translation, each, "tls.key"));
    Optional<SlapdDirective> authorities = global.directive("tlscacertificatefile");
    boolean isAsking =
        certificate.isPresent()
            && global.directive("tlsverifyclient").map(SecurityDirectives::asks).orElse(false);
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

  static void translate(Translation translation) {
    for (SlapdDatabase section : translation.sections()) {
      section.directives("security").forEach(each -> strength(translation, each));
      section.directives("require").forEach(each -> require(translation, each));
    }
    SlapdDatabase global = translation.global();
    global
        .directives("localssf")
        .forEach(
            each -> {
              if (each.value().equals(LOCAL)) {
                translation.needless(each, "slapd's default");
              } else {
                LimitDirectives.number(each.value())
                    .ifPresent(
                        bits ->
                            LimitDirectives.bounded(
                                translation, each, "ldapi.strengthBits", bits, 0, MAXIMUM_BITS));
              }
            });
    global.directives("allow").forEach(each -> allow(translation, each));
    global.directives("disallow").forEach(each -> disallow(translation, each));
    for (String name : List.of("saslhost", "saslrealm")) {
      global
          .directives(name)
          .forEach(
              each ->
                  translation.different(
                      each,
                      "name the keytab in sasl.gssapi.keytab; its only key ldap/HOST@REALM, or"
                          + " sasl.gssapi.principal, is the server's name"));
    }
    map(translation, global.directives("authzregexp"));
  }

  /* The factors of several sections count together: the greatest is in force everywhere. */
  private static void strength(Translation translation, SlapdDirective directive) {
    for (String word : directive.words()) {
      int equals = word.indexOf('=');
      String factor = equals < 0 ? word : word.substring(0, equals).toLowerCase(Locale.ROOT);
      OptionalLong bits = LimitDirectives.number(word.substring(equals + 1));
      String key =
          switch (factor) {
            case "ssf", "tls", "transport" -> STRENGTH + "any";
            case "simple_bind" -> STRENGTH + "simpleBind";
            case "update_ssf", "update_tls", "update_transport" -> STRENGTH + "write";
            default -> "";
          };
      if (key.isEmpty() || bits.isEmpty() || bits.getAsLong() > MAXIMUM_BITS) {
        translation.missing(
            directive,
            word + ": no such factor; layers of GSSAPI are bounded by sasl.gssapi.layers");
      } else {
        boolean isOfOneKind = factor.endsWith("tls") || factor.endsWith("transport");
        strength(translation, directive, key, bits.getAsLong());
        if (isOfOneKind && bits.getAsLong() > 0) {
          translation.different(
              directive,
              word + ": protection of every kind counts, that of local sockets and GSSAPI, too");
        }
      }
    }
  }

  private static void strength(
      Translation translation, SlapdDirective directive, String key, long bits) {
    boolean isServable =
        bits == 0 || translation.global().directive("tlscertificatefile").isPresent();
    if (!isServable) {
      translation.missing(directive, key + " = " + bits + " needs tls.certificate: set both");
    } else if (translation.raise(key, bits)) {
      translation.set(directive, key, Long.toString(bits));
    } else {
      translation.different(directive, key + " is greater by another line, and so everywhere");
    }
  }

  private static void require(Translation translation, SlapdDirective directive) {
    for (String word : directive.words()) {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "none", "ldapv3" ->
            translation.needless(directive, "LDAP version 3 is always required");
        case "bind", "authc" ->
            translation.translated(
                directive, "access.rules give clients that have not bound nothing but a bind");
        default ->
            translation.missing(
                directive,
                word
                    + ": access.rules give clients that have not bound nothing but a bind; simple"
                    + " binds are not refused");
      }
    }
  }

  private static void allow(Translation translation, SlapdDirective directive) {
    for (String word : directive.words()) {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "bind_v2" ->
            translation.missing(directive, "bind_v2: clients have to speak LDAP version 3");
        case "update_anon" ->
            translation.missing(
                directive, "update_anon: clients that have not bound change nothing");
        case "none" -> translation.needless(directive, "as here");
        default -> translation.missing(directive, word + ": such binds and operations are refused");
      }
    }
  }

  private static void disallow(Translation translation, SlapdDirective directive) {
    for (String word : directive.words()) {
      translation.note(
          word.equalsIgnoreCase("none") ? Kind.NEEDLESS : Kind.MISSING,
          directive,
          word
              + ": not refused; access.rules decide, and sasl.mechanisms and security"
              + ".minimumStrength.simpleBind bound binds");
    }
  }

  private static void map(Translation translation, List<SlapdDirective> directives) {
    List<String> rules = new ArrayList<>();
    for (SlapdDirective each : directives) {
      Map<String, String> rule =
          each.words().size() == 2 ? rule(each, realm(translation)) : Map.of();
      if (rule.isEmpty()) {
        translation.missing(
            each,
            "write a rule of sasl.map, whose expression is about another form of the name (GSSAPI:"
                + " ann@EXAMPLE.COM, with the realm of sasl-realm)");
      } else if (rule.containsValue("GSSAPI") || isSubject(each.words().getFirst())) {
        rules.add(ConfigurationDraft.object(rule));
        translation.different(
            each,
            "sasl.map: the expression matches the whole name, which is ann@EXAMPLE.COM for GSSAPI"
                + " and the subject for certificates; try it");
      } else {
        rules.add(ConfigurationDraft.object(rule));
        translation.different(
            each,
            "sasl.map: the expression matches the name that the client sends; try it, and add rules"
                + " for GSSAPI and certificates, which have other forms of the name");
      }
    }
    if (!rules.isEmpty()) {
      translation.set(
          "sasl.map", "[\n    " + String.join(",\n    ", rules) + "\n  ]", "authz-regexp");
    }
  }

  /** Returns the realm of users whose names have none; empty if it is not said. */
  private static String realm(Translation translation) {
    return translation.global().directive("saslrealm").map(SlapdDirective::value).orElse("");
  }

  private static boolean isSubject(String expression) {
    return SUBJECT.matcher(expression).matches()
        && !expression.toLowerCase(Locale.ROOT).contains("cn=auth");
  }

  /* As Kerberos writes names; the realm is in capitals nearly everywhere. */
  private static void kerberos(Matcher found, String ownRealm, Map<String, String> rule) {
    String named = found.group(2) == null ? ownRealm : found.group(2).replace("\\", "");
    if (!named.isEmpty()) {
      rule.put("mechanism", "GSSAPI");
      rule.put(
          "match",
          ConfigurationDraft.text(
              found.group(1) + '@' + named.toUpperCase(Locale.ROOT).replace(".", "\\.")));
    }
  }

  private static Map<String, String> rule(SlapdDirective directive, String ownRealm) {
    Map<String, String> rule = new LinkedHashMap<>();
    String expression = directive.words().getFirst();
    Matcher process = PROCESS.matcher(expression);
    Matcher kerberos = KERBEROS.matcher(expression);
    Matcher subject = SUBJECT.matcher(expression);
    Matcher user = USER.matcher(expression);
    if (kerberos.matches()) {
      kerberos(kerberos, ownRealm, rule);
      if (rule.isEmpty()) {
        return rule;
      }
    } else if (subject.matches() && isSubject(expression)) {
      rule.put("mechanism", "EXTERNAL");
      // slapd calls the type email.
      String whole = subject.group(1).replaceAll("(?i)(?<![a-z])email=", "emailAddress=");
      rule.put("match", ConfigurationDraft.text("(?i)" + whole));
    } else if (process.matches()) {
      rule.put("mechanism", "EXTERNAL");
      rule.put(
          "match", ConfigurationDraft.text(process.group(1) + ",cn=peercred,cn=external,cn=auth"));
    } else if (user.matches()
        && !NAMED_ELSEWHERE.contains(user.group(2).toLowerCase(Locale.ROOT))) {
      SaslMechanism mechanism = SaslMechanism.of(user.group(2));
      if (mechanism != null) {
        rule.put("mechanism", mechanism.label());
      }
      rule.put("match", ConfigurationDraft.text(user.group(1)));
    } else {
      return Map.of();
    }
    String target = directive.words().get(1);
    boolean isSearch = IntegrityOverlays.isLocal(target);
    rule.put(isSearch ? "search" : "dn", ConfigurationDraft.text(target));
    boolean isElsewhere = !isSearch && URL.matcher(target).lookingAt();
    return isElsewhere ? Map.of() : rule;
  }
}
