package org.nyala.config;

import static org.nyala.core.limits.Key.MANY;
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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.limits.Keys;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.dynamic.DynamicSettings;

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

  /** The attributes that get the placeholder: those that must have a value. */
  private static final String REQUIRED = "required";

  /** A name that Keycloak takes for no member. */
  private static final String PLACEHOLDER = "cn=empty-membership-placeholder";

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
        integrity(),
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

  private NyalaConfig.Integrity integrity() {
    ConfigSection references = root.section("referentialIntegrity");
    return new NyalaConfig.Integrity(
        root.sections("uniqueness").stream().map(UpdateConfiguration::unique).toList(),
        references.texts("attributes", List.of()),
        lastValue(references),
        references.text("emptyPlaceholder", PLACEHOLDER),
        fillsOptional(references),
        references.integer("referencesPerChange", 100_000, 1, MANY),
        references.bool("followMissing", false),
        memberOf());
  }

  private static boolean fillsOptional(ConfigSection references) {
    boolean fillsAll =
        references.word("placeholderFor", REQUIRED, List.of(REQUIRED, "all")).equals("all");
    if (fillsAll && lastValue(references) != NyalaConfig.LastValue.PLACEHOLDER) {
      throw references.problem("placeholderFor", "all needs lastValue = placeholder beside it");
    }
    return fillsAll;
  }

  private static NyalaConfig.LastValue lastValue(ConfigSection references) {
    List<String> offered =
        Arrays.stream(NyalaConfig.LastValue.values())
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .toList();
    NyalaConfig.LastValue last =
        NyalaConfig.LastValue.valueOf(
            references.word("lastValue", offered.getFirst(), offered).toUpperCase(Locale.ROOT));
    if (last != NyalaConfig.LastValue.PLACEHOLDER && references.has("emptyPlaceholder")) {
      throw references.problem(
          "emptyPlaceholder",
          "is never used with lastValue = " + last.name().toLowerCase(Locale.ROOT));
    }
    return last;
  }

  private static NyalaConfig.Unique unique(ConfigSection section) {
    List<String> attributes = section.texts("attributes", List.of());
    if (attributes.isEmpty()) {
      throw section.problem("attributes", "expected a list of at least one attribute");
    }
    return new NyalaConfig.Unique(attributes, section.text("base"), section.text("filter"));
  }

  private Optional<NyalaConfig.MemberOf> memberOf() {
    ConfigSection section = root.section("memberOf");
    NyalaConfig.MemberOf memberOf =
        new NyalaConfig.MemberOf(
            section.texts("groupAttributes", List.of("member", "uniqueMember")),
            section.bool("nested", false),
            section.integer("groups", 10_000, 1, MANY));
    if (memberOf.groupAttributes().isEmpty()) {
      throw section.problem("groupAttributes", "expected at least one attribute");
    }
    return section.bool("enabled", false) ? Optional.of(memberOf) : Optional.empty();
  }
}
