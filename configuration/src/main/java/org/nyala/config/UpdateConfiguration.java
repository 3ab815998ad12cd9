package org.nyala.config;

import static org.nyala.config.ConfigSection.MANY;
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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.directory.DynamicSettings;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;

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
  private static final int MOST_LANES = 255;
  private static final int DAY_SECONDS = 86_400;
  private static final int DEFAULT_BITS = 30;
  private static final int MOST_BITS = 128;
  private static final int YEAR_SECONDS = 365 * DAY_SECONDS;
  private static final int DYNAMIC_ENTRIES = 100_000_000;

  /** The attributes that get the placeholder: those that must have a value. */
  private static final String REQUIRED = "required";

  /** A name that Keycloak takes for no member. */
  private static final String PLACEHOLDER = "cn=empty-membership-placeholder";

  private final ConfigSection root;
  private final Path base;

  private UpdateConfiguration(ConfigSection root, Path base) {
    this.root = root;
    this.base = base;
  }

  /** Reads it from the whole file. */
  static NyalaConfig.Updates read(ConfigSection root, Path base) {
    return new UpdateConfiguration(root, base).updates();
  }

  private NyalaConfig.Updates updates() {
    ConfigSection password = root.section("password");
    return new NyalaConfig.Updates(
        root.bool("readOnly", false),
        root.integer("serverId", 0, 0, LAST_SERVER),
        root.section("access").texts("writers", List.of()),
        scheme(password.word("scheme", UpdateSettings.DEFAULT_SCHEME.label(), PASSWORD_SCHEMES)),
        hashBounds(password),
        password.bool("hashClearText", true),
        password.bool("upgradeAtBind", true),
        root.section("passwordPolicy").text("default"),
        root.section("passwordPolicy").sections("rules").stream()
            .map(UpdateConfiguration::rule)
            .toList(),
        policies(root.section("passwordPolicy")),
        quality(root.section("passwordPolicy"), base),
        integrity(),
        dynamicEntries(),
        ReplicationConfiguration.read(root.section("replication"), base),
        modificationLog(root.section(ConfigurationFile.MODIFICATION_LOG)));
  }

  private static NyalaConfig.ModificationLog modificationLog(ConfigSection section) {
    return new NyalaConfig.ModificationLog(
        section.text("base", "cn=accesslog"), section.texts("readers", List.of()));
  }

  private static PolicySettings policies(ConfigSection section) {
    PolicySettings d = PolicySettings.NONE;
    return new PolicySettings(
        null,
        List.of(),
        section.bool("tellLocked", d.tellsLocked()),
        section.bool("netscapeControls", d.sendsNetscape()),
        section.bool("lastBind", d.lastBind()),
        section.integer("lastBindPrecisionSeconds", d.lastBindPrecisionSeconds(), 0, YEAR_SECONDS),
        section.bool("alwaysNoteChange", d.alwaysNotesChange()),
        d.checks());
  }

  private static NyalaConfig.PolicyChoice rule(ConfigSection section) {
    String policy =
        section
            .text("policy")
            .orElseThrow(() -> section.problem("policy", "expected the name of a policy"));
    return new NyalaConfig.PolicyChoice(
        section.text("subtree"), section.text("filter"), section.text("group"), policy);
  }

  private static NyalaConfig.Quality quality(ConfigSection section, Path base) {
    return new NyalaConfig.Quality(
        section.integer("minimumGuessBits", DEFAULT_BITS, 0, MOST_BITS),
        section.bool("refuseOwnAttributes", true),
        section.text("breachedPasswords").map(base::resolve));
  }

  public static PasswordScheme scheme(String label) {
    PasswordScheme scheme = PasswordScheme.of(label);
    if (scheme == null) {
      throw new IllegalArgumentException(label);
    }
    return scheme;
  }

  private static HashBounds hashBounds(ConfigSection section) {
    HashBounds d = HashBounds.DEFAULT;
    return new HashBounds(
        section.integer("maximumCryptRounds", d.cryptRounds(), 5000, MANY),
        section.integer("maximumBcryptCost", d.bcryptCost(), 10, 31),
        section.integer(
            "maximumPbkdf2Iterations", d.pbkdf2Iterations(), HashBounds.PBKDF2_LEAST, MANY),
        section.integer(
            "maximumArgon2Kibibytes", d.argon2Kibibytes(), HashBounds.ARGON2_LEAST_KIBIBYTES, MANY),
        section.integer(
            "maximumArgon2Passes", d.argon2Passes(), HashBounds.ARGON2_LEAST_PASSES, MANY),
        section.integer("maximumArgon2Lanes", d.argon2Lanes(), 1, MOST_LANES),
        section.integer("maximumYescryptKibibytes", d.yescryptKibibytes(), 1, MANY),
        section.integer(
            "maximumYescryptPasses", d.yescryptPasses(), HashBounds.YESCRYPT_LEAST_PASSES, MANY));
  }

  private Optional<DynamicSettings> dynamicEntries() {
    ConfigSection section = root.section("dynamicEntries");
    DynamicSettings d = DynamicSettings.DEFAULT;
    int maximum =
        section.integer(
            "maximumTtlSeconds",
            d.maximumTtlSeconds(),
            DynamicSettings.LEAST_MAXIMUM_SECONDS,
            DynamicSettings.GREATEST_MAXIMUM_SECONDS);
    int initial = section.integer("defaultTtlSeconds", d.defaultTtlSeconds(), 1, maximum);
    DynamicSettings dynamic =
        new DynamicSettings(
            maximum,
            section.integer("minimumTtlSeconds", d.minimumTtlSeconds(), 0, initial),
            initial,
            section.integer("checkIntervalSeconds", d.checkIntervalSeconds(), 1, DAY_SECONDS),
            section.integer("entries", d.entries(), 1, DYNAMIC_ENTRIES));
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
