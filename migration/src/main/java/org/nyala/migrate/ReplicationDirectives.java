package org.nyala.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.replica.ProviderLogin;

/**
 * The databases that are copies of another server's: {@code syncrepl}, and where changes go.
 *
 * <p>Confined to one running operation.
 */
final class ReplicationDirectives {
  static final Set<String> NAMES = Set.of("syncrepl");

  private static final String KEY = "replication.";
  private static final String SECRET = "replica-password";
  private static final int LAST_REPLICA = 999;
  private static final int HOUR_SECONDS = 3600;
  private static final int DAY_SECONDS = 86_400;

  /** The filters that leave out nothing. */
  private static final Set<String> EVERYTHING = Set.of("(objectclass=*)", "objectclass=*");

  /** Parts that say nothing that a copy here does not do. */
  private static final Set<String> NEEDLESS =
      Set.of(
          "rid",
          "provider",
          "searchbase",
          "scope",
          "filter",
          "attrs",
          "exattrs",
          "attrsonly",
          "bindmethod",
          "binddn",
          "saslmech",
          "authcid",
          "realm",
          "credentials",
          "starttls",
          "tls_cert",
          "tls_key",
          "tls_cacert",
          "retry",
          "network-timeout",
          "timeout",
          "keepalive",
          "schemachecking",
          "managedsait",
          "lazycommit",
          "strictrefresh",
          "sizelimit",
          "timelimit");

  private final Translation translation;
  private final List<String> followed = new ArrayList<>();
  private Map<String, String> used = Map.of();

  private ReplicationDirectives(Translation translation) {
    this.translation = translation;
  }

  /**
   * Sets {@code replication} if databases that are moved are copies of one server.
   *
   * @return the attributes that need an index for equality
   */
  static Set<String> translate(Translation translation, MovedSuffixes suffixes) {
    ReplicationDirectives copies = new ReplicationDirectives(translation);
    for (SlapdDatabase store : translation.stores()) {
      store.directives("syncrepl").forEach(each -> copies.take(store, suffixes, each));
    }
    if (copies.followed.isEmpty()) {
      return Set.of();
    }
    if (suffixes.contexts().size() > 1) {
      translation.set(
          KEY + "suffixes", ConfigurationDraft.list(copies.followed), "Those that are copies.");
    }
    translation.stores().forEach(copies::refer);
    return Set.of("entryUUID");
  }

  private void take(SlapdDatabase store, MovedSuffixes suffixes, SlapdDirective directive) {
    Map<String, String> parts = parts(directive);
    String refusal = refusal(store, suffixes, parts);
    if (!refusal.isEmpty()) {
      translation.missing(directive, refusal + "; the database would accept changes here");
      return;
    }
    boolean isFirst = followed.isEmpty();
    followed.addAll(store.suffixes());
    if (!isFirst) {
      translation.translated(directive, KEY + "suffixes");
      return;
    }
    used = parts;
    provider(directive, parts);
    login(directive, parts);
    times(directive, parts);
    differences(directive, parts);
  }

  private static Map<String, String> parts(SlapdDirective directive) {
    Map<String, String> parts = new LinkedHashMap<>();
    for (String word : directive.words()) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        parts.put(word.substring(0, equals).toLowerCase(Locale.ROOT), word.substring(equals + 1));
      }
    }
    return parts;
  }

  /** Returns the reason why a copy cannot be set up; empty for none. */
  private String refusal(SlapdDatabase store, MovedSuffixes suffixes, Map<String, String> parts) {
    if (store.directive("multiprovider").filter(SlapdDirective::isOn).isPresent()) {
      return "both servers accept changes: one does at a time here, and the other one follows it"
          + " (replication)";
    }
    if (!parts.containsKey("provider")) {
      return "no provider: the database is no copy";
    }
    if (!isWhole(store, suffixes, parts)) {
      return "a part of a naming context, or of its entries: replication copies naming contexts as"
          + " a whole; leave this server out of the move, or set replication.provider";
    }
    if (!used.isEmpty() && !isSame(parts)) {
      return "one server can be followed: replication.provider is another one, or its account is";
    }
    return "";
  }

  private static boolean isWhole(
      SlapdDatabase store, MovedSuffixes suffixes, Map<String, String> parts) {
    boolean isContext =
        store.suffixes().size() == 1
            && !suffixes.isPart(store.suffixes().getFirst())
            && plain(parts.getOrDefault("searchbase", store.suffixes().getFirst()))
                .equals(plain(store.suffixes().getFirst()));
    String attributes = plain(parts.getOrDefault("attrs", "*,+"));
    return isContext
        && List.of("sub", "subtree").contains(plain(parts.getOrDefault("scope", "sub")))
        && EVERYTHING.contains(plain(parts.getOrDefault("filter", "(objectclass=*)")))
        && Set.of("*,+", "+,*").contains(attributes)
        && !parts.containsKey("suffixmassage");
  }

  private boolean isSame(Map<String, String> parts) {
    for (String name :
        List.of("provider", "bindmethod", "binddn", "saslmech", "authcid", "realm")) {
      if (!parts.getOrDefault(name, "").equals(used.getOrDefault(name, ""))) {
        return false;
      }
    }
    return true;
  }

  private static String plain(String text) {
    return text.toLowerCase(Locale.ROOT).replace(" ", "");
  }

  private void provider(SlapdDirective directive, Map<String, String> parts) {
    String url = parts.getOrDefault("provider", "").replaceFirst("/+$", "");
    translation.set(directive, KEY + "provider", ConfigurationDraft.text(url));
    LimitDirectives.number(parts.getOrDefault("rid", ""))
        .ifPresent(rid -> put("replicaId", Long.toString(Math.min(rid, LAST_REPLICA))));
    boolean isTls = url.toLowerCase(Locale.ROOT).startsWith("ldaps:");
    boolean startsTls = !isTls && parts.containsKey("starttls");
    if (startsTls) {
      put("startTls", "true");
      if (plain(parts.getOrDefault("starttls", "")).equals("yes")) {
        translation.different(directive, "starttls=yes: without encryption there is no copy");
      }
    }
    if (!isTls && !startsTls) {
      put("requireEncryption", "false");
      translation.different(
          directive,
          "entries and hashes cross the network in clear text, as they did: use ldaps:// or"
              + " replication.startTls, and take out replication.requireEncryption");
      return;
    }
    file(parts, "tls_cacert", "tls.trust");
    file(parts, "tls_cert", "tls.certificate");
    file(parts, "tls_key", "tls.key");
    if (Set.of("never", "allow").contains(plain(parts.getOrDefault("tls_reqcert", "")))) {
      translation.missing(
          directive,
          "tls_reqcert: the provider's certificate is always verified: name its authorities in"
              + " replication.tls.trust");
    }
  }

  private void file(Map<String, String> parts, String name, String key) {
    String file = parts.get(name);
    if (file != null) {
      put(key, ConfigurationDraft.text(file));
    }
  }

  private void put(String key, String value) {
    translation.set(KEY + key, value, null);
  }

  private void login(SlapdDirective directive, Map<String, String> parts) {
    boolean isSasl = plain(parts.getOrDefault("bindmethod", "")).equals("sasl");
    String wanted = parts.getOrDefault("saslmech", "").toUpperCase(Locale.ROOT);
    String mechanism =
        isSasl
            ? wanted
            : parts.containsKey("binddn") ? ProviderLogin.SIMPLE : ProviderLogin.ANONYMOUS;
    if (!ProviderLogin.MECHANISMS.contains(mechanism)) {
      translation.missing(
          directive, "saslmech: no copy can bind by '" + mechanism + "': set replication.bind");
      return;
    }
    put("bind.mechanism", ConfigurationDraft.text(mechanism));
    if (isSasl) {
      String user = parts.get("authcid");
      if (user != null) {
        put("bind.user", ConfigurationDraft.text(user));
      }
      file(parts, "realm", "bind.realm");
    } else {
      file(parts, "binddn", "bind.dn");
    }
    String password = parts.get("credentials");
    if (password != null && !password.isEmpty()) {
      translation.secrets().put(SECRET, password + "\n");
      put("bind.passwordFile", ConfigurationDraft.text(Migration.FOLDER + SECRET));
    }
    if (mechanism.equals(ProviderLogin.GSSAPI)) {
      translation.missing(
          directive,
          "saslmech: name the keytab in replication.bind.keytab, and the principal in"
              + " replication.bind.user");
    }
  }

  /* slapd waits for the same time before each of some attempts. */
  private void times(SlapdDirective directive, Map<String, String> parts) {
    String[] retry = parts.getOrDefault("retry", "").strip().split("[ ,]+", -1);
    OptionalLong first = LimitDirectives.number(retry[0]);
    if (first.isPresent()) {
      long seconds = Math.clamp(first.getAsLong(), 1, HOUR_SECONDS);
      OptionalLong last = LimitDirectives.number(retry[Math.max(0, retry.length - 2)]);
      put("retrySeconds", Long.toString(seconds));
      put(
          "maximumRetrySeconds",
          Long.toString(Math.clamp(last.orElse(seconds), seconds, DAY_SECONDS)));
      if (!retry[retry.length - 1].equals("+")) {
        translation.different(directive, "retry: a copy never stops trying");
      }
    }
    seconds(parts, "network-timeout", "connectTimeoutSeconds");
    seconds(parts, "timeout", "answerTimeoutSeconds");
  }

  private void seconds(Map<String, String> parts, String name, String key) {
    LimitDirectives.number(parts.getOrDefault(name, ""))
        .ifPresent(number -> put(key, Long.toString(Math.clamp(number, 1, HOUR_SECONDS))));
  }

  private void differences(SlapdDirective directive, Map<String, String> parts) {
    if (plain(parts.getOrDefault("type", "")).equals("refreshonly")) {
      translation.different(directive, "type: a copy follows all the time, without an interval");
    }
    if (parts.containsKey("syncdata")) {
      translation.different(directive, "syncdata: whole entries are copied, without the log");
    }
    List<String> left = new ArrayList<>(parts.keySet());
    left.removeAll(NEEDLESS);
    left.removeAll(List.of("type", "interval", "syncdata", "logbase", "logfilter", "tls_reqcert"));
    if (!left.isEmpty()) {
      translation.missing(directive, String.join(", ", left) + ": see the keys of replication");
    }
  }

  /* Clients that change a copy are sent to its provider, or where updateref says. */
  private void refer(SlapdDatabase store) {
    boolean isCopy = followed.containsAll(store.suffixes());
    for (SlapdDirective each : store.directives("updateref")) {
      if (isCopy) {
        String url = each.value().replaceFirst("/+$", "");
        translation.set(each, KEY + "referTo", ConfigurationDraft.text(url));
      }
    }
    for (SlapdDirective each : store.directives("updatedn")) {
      if (isCopy) {
        translation.needless(each, "a copy takes changes of its provider alone");
      }
    }
    if (used.containsKey("starttls") && !translation.draft().has(KEY + "referTo")) {
      put("writes", "refuse");
    }
  }
}
