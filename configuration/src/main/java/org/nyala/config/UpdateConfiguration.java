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

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.limits.Keys;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.dynamic.DynamicSettings;
import org.nyala.integrity.IntegritySettings;

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
    return new NyalaConfig.Updates(
        root.bool("readOnly", false),
        root.integer("serverId", 0, 0, LAST_SERVER),
        root.section("access").texts("writers", List.of()),
        scheme(password.word("scheme", UpdateSettings.DEFAULT_SCHEME.label(), PASSWORD_SCHEMES)),
        Keys.read(HashBounds.class, password),
        password.bool("hashClearText", true),
        password.bool("upgradeAtBind", true),
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
}
