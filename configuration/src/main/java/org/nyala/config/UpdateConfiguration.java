package org.nyala.config;

import static org.nyala.core.password.PasswordScheme.ARGON2;
import static org.nyala.core.password.PasswordScheme.BCRYPT;
import static org.nyala.core.password.PasswordScheme.CRYPT;
import static org.nyala.core.password.PasswordScheme.PBKDF2_SHA256;
import static org.nyala.core.password.PasswordScheme.PBKDF2_SHA512;
import static org.nyala.core.password.PasswordScheme.SCRAM_SHA256;
import static org.nyala.core.password.PasswordScheme.SCRAM_SHA512;
import static org.nyala.core.password.PasswordScheme.SSHA;
import static org.nyala.core.password.PasswordScheme.SSHA256;
import static org.nyala.core.password.PasswordScheme.SSHA384;
import static org.nyala.core.password.PasswordScheme.SSHA512;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.limits.Keys;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.dynamic.DynamicSettings;
import org.nyala.error.ErrorMessages;
import org.nyala.integrity.IntegritySettings;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderLogin;
import org.nyala.replica.ProviderUrl;
import org.nyala.replica.ReplicationSettings;

/** Reads the configuration of changes: their authors and the rules that they obey. */
public final class UpdateConfiguration {
  public static final List<String> PASSWORD_SCHEMES =
      Stream.of(
              ARGON2,
              PBKDF2_SHA512,
              PBKDF2_SHA256,
              SSHA512,
              SSHA384,
              SSHA256,
              SSHA,
              BCRYPT,
              CRYPT,
              SCRAM_SHA256,
              SCRAM_SHA512)
          .map(PasswordScheme::label)
          .toList();
  private static final int LAST_SERVER = 4095;
  private static final int MOST_LOGINS = 1_000_000;

  private final ConfigSection root;

  private UpdateConfiguration(ConfigSection root) {
    this.root = root;
  }

  /** Reads it from the whole file. */
  static NyalaConfig.Updates read(ConfigSection root) {
    return new UpdateConfiguration(root).updates();
  }

  private NyalaConfig.Updates updates() {
    ConfigSection password = root.section("password");
    ConfigSection policy = root.section("passwordPolicy");
    PasswordScheme scheme =
        scheme(password.word("scheme", UpdateSettings.DEFAULT_SCHEME.label(), PASSWORD_SCHEMES));
    HashBounds bounds = Keys.read(HashBounds.class, password);
    String excess = bounds.ofNew().excess(scheme, bounds);
    if (excess != null) {
      throw password.problem("scheme", "new hashes would match nothing: " + excess);
    }
    return new NyalaConfig.Updates(
        root.bool("readOnly", false),
        root.integer("serverId", 0, 0, LAST_SERVER),
        root.section("access").texts("writers", List.of()),
        scheme,
        bounds,
        password.bool("hashClearText", true),
        password.bool("upgradeAtBind", true),
        password.integer("expectedLoginsPerSecond", 0, 0, MOST_LOGINS),
        Keys.read(RememberedPasswords.Settings.class, password),
        policy.text("default"),
        policy.sections("rules").stream().map(UpdateConfiguration::rule).toList(),
        PolicySettings.read(policy),
        Keys.read(NyalaConfig.Quality.class, policy),
        IntegritySettings.read(
            root.sections("uniqueness"),
            root.section("referentialIntegrity"),
            root.section("memberOf")),
        dynamicEntries(),
        ReplicationConfiguration.read(root.section("replication")),
        Keys.read(
            NyalaConfig.ModificationLog.class, root.section(ConfigurationFile.MODIFICATION_LOG)));
  }

  private static NyalaConfig.PolicyChoice rule(ConfigSection section) {
    String policy =
        section
            .text("policy")
            .orElseThrow(() -> section.problem("policy", "expected the name of a policy"));
    return Keys.read(NyalaConfig.PolicyChoice.class, section, Map.of("policy", policy));
  }

  public static PasswordScheme scheme(String label) {
    PasswordScheme scheme = PasswordScheme.of(label);
    if (scheme == null) {
      throw new IllegalArgumentException(label);
    }
    return scheme;
  }

  private Optional<DynamicSettings> dynamicEntries() {
    ConfigSection section = root.section("dynamicEntries");
    DynamicSettings dynamic = Keys.read(DynamicSettings.class, section);
    return section.bool("enabled", false) ? Optional.of(dynamic) : Optional.empty();
  }

  /** Reads the configuration of copies of another server's naming contexts. Stateless. */
  static final class ReplicationConfiguration {
    private static final String PROVIDER = "provider";
    private static final String TLS = "tls";
    private static final String START_TLS = "startTls";
    private static final String REQUIRE_ENCRYPTION = "requireEncryption";
    private static final String REFER_TO = "referTo";
    private static final String REFER = "refer";
    private static final String REFUSE = "refuse";
    private static final int DAY_SECONDS = 86_400;
    private static final int MONTH_SECONDS = 30 * DAY_SECONDS;
    private static final long SECOND_MILLIS = 1000;

    private ReplicationConfiguration() {}

    /**
     * Reads it from its section.
     *
     * @return nothing if no provider is named
     */
    static Optional<ReplicationSettings> read(ConfigSection section) {
      Optional<ProviderUrl> url = section.text(PROVIDER).map(text -> url(section, PROVIDER, text));
      boolean refers = section.word("writes", REFER, List.of(REFER, REFUSE)).equals(REFER);
      Optional<String> referral =
          section.text(REFER_TO).map(text -> url(section, REFER_TO, text).toString());
      Optional<ProviderAccess> access = access(section, url);
      ReplicationSettings.Retry retry = Keys.read(ReplicationSettings.Retry.class, section);
      Map<String, Object> others = new HashMap<>();
      others.put("refersWrites", refers);
      others.put("readyLagSeconds", readyLag(section, seconds(retry.idleMillis())));
      access.ifPresent(provider -> others.put("provider", provider));
      access.ifPresent(
          provider -> others.put("referralUrl", referral.orElse(provider.url().toString())));
      ReplicationSettings read = Keys.read(ReplicationSettings.class, section, others);
      if (refers
          && referral.isEmpty()
          && access.isPresent()
          && access.get().encryption().startTls()) {
        throw section.problem(
            REFER_TO,
            "a referral to ldap:// does not ask clients for StartTLS: name the URL for them here, or"
                + " set writes = refuse");
      }
      return access.map(_ -> read);
    }

    private static ProviderUrl url(ConfigSection section, String key, String text) {
      try {
        return ProviderUrl.parse(text);
      } catch (IllegalArgumentException e) {
        throw section.problem(key, ErrorMessages.line(e));
      }
    }

    /** Reads the lag of a copy that is ready: with a sign of life at each check, it always is. */
    private static int readyLag(ConfigSection section, int idleSeconds) {
      int least = Math.max(1, 2 * idleSeconds);
      int usual = Math.max(least, ReplicationSettings.DEFAULT_READY_LAG_SECONDS);
      return (int)
          section.number(
              "readyLagSeconds", ConfigSection.OFF, usual, least, Math.max(least, MONTH_SECONDS));
    }

    private static int seconds(long millis) {
      return (int) (millis / SECOND_MILLIS);
    }

    private static Optional<ProviderAccess> access(
        ConfigSection section, Optional<ProviderUrl> url) {
      Map<String, Object> others = new HashMap<>();
      others.put("encryption", encryption(section));
      others.put("login", login(section.section("bind"), url.isPresent()));
      url.ifPresent(provider -> others.put("url", provider));
      ProviderAccess access = Keys.read(ProviderAccess.class, section, others);
      if (url.isPresent()) {
        requireEncryption(section, access);
      }
      return url.map(_ -> access);
    }

    private static ProviderAccess.Encryption encryption(ConfigSection section) {
      ConfigSection tls = section.section(TLS);
      return new ProviderAccess.Encryption(
          section.bool(START_TLS, false),
          section.bool(REQUIRE_ENCRYPTION, true),
          tls.path("trust").orElse(null),
          tls.bool("verifyHost", true),
          WireConfiguration.files(tls).orElse(null));
    }

    /** Requires that the settings of encryption fit together, and are enough. */
    private static void requireEncryption(ConfigSection section, ProviderAccess access) {
      if (access.encryption().startTls() && access.url().isTls()) {
        throw section.problem(START_TLS, "ldaps:// is encrypted already: expected false");
      }
      if (access.isExposed()) {
        throw section.problem(
            PROVIDER,
            "entries and password hashes would cross the network in clear text: use ldaps://, or set"
                + " startTls = true");
      }
      if (!access.isEncrypted() && !section.section(TLS).keys().isEmpty()) {
        throw section.problem(
            TLS, "connections to ldap:// are not encrypted: use ldaps://, or set startTls = true");
      }
      boolean hasCertificate = access.isEncrypted() && access.encryption().certificate() != null;
      if (access.login().mechanism().equals(ProviderLogin.EXTERNAL) && !hasCertificate) {
        throw section
            .section("bind")
            .problem("mechanism", "EXTERNAL needs encryption and tls.certificate");
      }
    }

    private static ProviderLogin login(ConfigSection section, boolean isUsed) {
      Optional<String> secret = section.password("password");
      Optional<Path> file = section.path("passwordFile");
      ProviderLogin login =
          new ProviderLogin(
              section.word("mechanism", ProviderLogin.SIMPLE, ProviderLogin.MECHANISMS),
              section.text("dn").orElse(null),
              section.text("user").orElse(null),
              section.text("realm").orElse(null),
              file.isPresent() ? null : secret.orElse(null),
              file.orElse(null),
              section.path("keytab").orElse(null));
      String lack = login.lack();
      if (isUsed && lack != null) {
        throw section.problem(
            "mechanism", login.mechanism() + " needs " + lack + " as well, which is not set");
      }
      return login;
    }
  }
}
