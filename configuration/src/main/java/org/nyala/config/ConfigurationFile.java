package org.nyala.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.access.MinimumStrength;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.limits.Keys;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.core.schema.AttributeOptions;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.error.Setting;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.log.AccessLog;
import org.nyala.log.LogSettings;
import org.nyala.log.SecuritySettings;
import org.nyala.netty.WireSettings;

/**
 * The configuration file: HOCON, one object {@code nyala}.
 *
 * <p>Every key is optional; {@code conf/nyala.conf} as shipped names each with its default.
 * Confined to one thread.
 */
public final class ConfigurationFile {
  private static final String NAME = "nyala";
  public static final String LIMITS = NAME + ".limits.";
  static final String MODIFICATION_LOG = "modificationLog";
  static final String DEFAULT_DATA = "data";
  private static final String ATTRIBUTE_OPTIONS = "attributeOptions";
  private static final String SECRET_ATTRIBUTES = "secretAttributes";
  private static final List<String> INDEX_KINDS = List.of("eq", "sub", "pres", "ord");
  private static final int MIB_SHIFT = 20;

  /** The readers for backups, exports and other programs that read beside a server. */
  private static final int READERS_OF_OTHERS = 64;

  /** The fewest readers for other programs if the number of readers is configured. */
  private static final int LEAST_READERS_OF_OTHERS = 16;

  private static final int MOST_BITS = 256;
  private final ConfigSection root;

  private ConfigurationFile(ConfigSection root) {
    this.root = root;
  }

  /** Returns the configuration of an installation; the defaults if it has no file. */
  public static NyalaConfig ofInstallation(Installation installation) {
    Optional<Path> file = installation.configurationFile();
    return file.isPresent()
        ? read(file.get(), installation.base())
        : parse(ConfigFactory.empty(), installation.base());
  }

  /**
   * Reads a file.
   *
   * @param base the folder that relative paths in it are relative to
   * @throws ConfigurationException with file, line, key and the expected value
   */
  public static NyalaConfig read(Path file, Path base) {
    return parse(load(file), base);
  }

  /** Returns the names of all keys; those of {@code indexes} are chosen by the administrator. */
  public static Set<String> keys() {
    ConfigurationFile file = of(ConfigFactory.empty(), Path.of(""));
    file.configuration();
    return file.root.knownKeys();
  }

  /**
   * Returns the description of each key's expected value, by its name; those of {@code indexes}
   * left out.
   */
  public static Map<String, String> expectations() {
    ConfigurationFile file = of(ConfigFactory.empty(), Path.of(""));
    file.configuration();
    return file.root.expectations();
  }

  /** Returns the defaults of all keys. */
  public static Settings defaults() {
    return of(ConfigFactory.empty(), Path.of("")).configuration().settings();
  }

  static Config load(Path file) {
    if (!Files.isRegularFile(file)) {
      throw ConfigurationException.of(file.toString(), "there is no such file");
    }
    try {
      return ConfigFactory.parseFile(file.toFile()).resolve();
    } catch (ConfigException e) {
      // Most of its messages begin with the file already.
      String problem = ErrorMessages.line(e).replaceFirst("^" + Pattern.quote(file + ": "), "");
      throw ConfigurationException.of(file.toString(), problem);
    }
  }

  /**
   * Returns a configuration with the limits of given settings, one of them changed, and the
   * defaults of all other keys.
   *
   * @param settings the other limits
   * @param key with its section, such as {@code nyala.limits.sizeLimit}
   * @throws ConfigurationException if the value is out of bounds
   */
  public static NyalaConfig ofLimits(Settings settings, String key, long value) {
    Map<String, Object> limits = new HashMap<>();
    settings
        .all()
        .forEach(
            (name, setting) -> {
              if (name.startsWith(LIMITS)) {
                limits.put(name, Long.parseLong(setting.value()));
              }
            });
    limits.put(key, value);
    return parse(ConfigFactory.parseMap(limits, Setting.MANAGEMENT), Path.of(""));
  }

  private static NyalaConfig parse(Config config, Path base) {
    ConfigSection.rejectOtherRoots(config, NAME);
    ConfigurationFile file = of(config, base);
    NyalaConfig configuration = file.configuration();
    file.root.rejectUnknownKeys();
    return configuration;
  }

  private static ConfigurationFile of(Config config, Path base) {
    return new ConfigurationFile(ConfigSection.root(config, NAME).in(base));
  }

  private NyalaConfig configuration() {
    NyalaConfig.Dispatch dispatch = dispatch();
    WireSettings wire = WireConfiguration.read(root);
    Optional<AccessRulesFile> rules = AccessRulesFile.of(root.section("access"));
    return new NyalaConfig(
        root.base().resolve(root.text("data", DEFAULT_DATA)),
        root.path("run"),
        root.textsOrEmpty("suffixes"),
        ownSchema(),
        RootConfiguration.root(root),
        RootConfiguration.accounts(root),
        access(!wire.tls().certificates().isEmpty(), rules),
        rules,
        UpdateConfiguration.read(root),
        dispatch,
        Keys.read(ServerLimits.class, root.section("limits")),
        wire,
        store(dispatch.readingThreads(wire)),
        indexes(),
        attributeOptions(),
        secretTypes(),
        ManagementConfiguration.read(root.section("management"), wire.tls()),
        LogConfiguration.read(root.section("log")),
        OfferedExtension.read(root),
        root.settings());
  }

  private OwnSchema ownSchema() {
    ConfigSection section = root.section("schema");
    return new OwnSchema(
        section.texts("folders", List.of()).stream().map(root.base()::resolve).toList(),
        section.texts("replace", List.of()),
        section.texts("with", List.of()),
        section.texts("without", List.of()));
  }

  private AttributeOptions attributeOptions() {
    try {
      return AttributeOptions.of(root.texts(ATTRIBUTE_OPTIONS, AttributeOptions.DEFAULT.names()));
    } catch (IllegalArgumentException e) {
      throw root.problem(ATTRIBUTE_OPTIONS, ErrorMessages.line(e));
    }
  }

  private SecretTypes secretTypes() {
    try {
      return SecretTypes.of(root.texts(SECRET_ATTRIBUTES, SecretTypes.DEFAULT.names()));
    } catch (IllegalArgumentException e) {
      throw root.problem(SECRET_ATTRIBUTES, ErrorMessages.line(e));
    }
  }

  private AccessPolicy access(boolean isEncrypted, Optional<AccessRulesFile> rules) {
    ConfigSection section = root.section("access");
    SaslSettings sasl = SaslConfiguration.read(root.section("sasl"));
    boolean isPossible = isEncrypted || sasl.gssapi() != null;
    return new AccessPolicy(section.bool("anonymousRead", false))
        .withSelfPasswordChange(section.bool("selfPasswordChange", true))
        .withMinimumStrength(minimumStrength(root.section("security"), isPossible))
        .withSasl(sasl)
        .withRules(rules.map(AccessRulesFile::text).orElse(null))
        .withGuessing(Keys.read(GuessingLimits.class, root.section("guessing")));
  }

  private NyalaConfig.Dispatch dispatch() {
    ConfigSection section = root.section("dispatch");
    String strategy =
        section.word("strategy", DispatchStrategies.DEFAULT, DispatchStrategies.OFFERED);
    return Keys.read(NyalaConfig.Dispatch.class, section, Map.of("strategy", strategy));
  }

  private LmdbSettings store(int readingThreads) {
    ConfigSection section = root.section("store");
    long mebibytes = root.section(MODIFICATION_LOG).integer("mebibytes", 0, 0, 1 << MIB_SHIFT);
    return LmdbSettings.read(
        section,
        maximumReaders(section, readingThreads),
        JournalBounds.withModifications(section, mebibytes << MIB_SHIFT));
  }

  /**
   * Reads the number of readers. Each thread keeps a slot once it has read, so that fewer slots
   * than threads would fail in the middle of a day.
   */
  private static int maximumReaders(ConfigSection section, int threads) {
    int readers = (int) section.number("maximumReaders", ConfigSection.AUTO, 0, 8, 65_536);
    if (readers == 0) {
      // As many again for virtual threads, and for those of a strategy that is being replaced.
      return Math.max(LmdbSettings.DEFAULT.maximumReaders(), 2 * threads + READERS_OF_OTHERS);
    }
    int least = threads + LEAST_READERS_OF_OTHERS;
    if (readers < least) {
      throw section.problem(
          "maximumReaders",
          String.format(
              Locale.ROOT,
              "%d are too few for the %d threads that dispatch.eventLoops, workers or queues, and"
                  + " diskThreads make on this machine, and some tools: expected %d at least, or"
                  + " auto",
              readers,
              threads,
              least));
    }
    return readers;
  }

  private Optional<Map<String, List<String>>> indexes() {
    if (!root.has("indexes")) {
      return Optional.empty();
    }
    ConfigSection section = root.section("indexes");
    Map<String, List<String>> indexes = new LinkedHashMap<>();
    for (String attribute : section.keys()) {
      List<String> kinds = section.texts(attribute, List.of());
      if (kinds.isEmpty() || !INDEX_KINDS.containsAll(kinds)) {
        String expected = String.join(", ", INDEX_KINDS);
        String hint =
            String.join("", kinds.stream().map(IndexDefinition::hint).distinct().toList());
        throw section.problem(attribute, "expected a list of one or more of " + expected + hint);
      }
      indexes.put(attribute, kinds);
    }
    return Optional.of(indexes);
  }

  /** Reads the configuration of logs. */
  static final class LogConfiguration {
    private static final String OFF = "off";
    private static final int MEBIBYTE_SHIFT = 20;

    private final ConfigSection section;

    private LogConfiguration(ConfigSection section) {
      this.section = section;
    }

    /** Reads the section. */
    static NyalaConfig.Logs read(ConfigSection section) {
      LogConfiguration log = new LogConfiguration(section);
      int slowMillis = section.integer("slowMillis", 100, 0, 3_600_000);
      return new NyalaConfig.Logs(log.access(), log.audit(), log.security(), slowMillis);
    }

    private Optional<NyalaConfig.AccessLogging> access() {
      ConfigSection access = section.section("access");
      String format = access.word("format", OFF, List.of(OFF, "stats", "json"));
      LogSettings settings = settings(access, "logs/access.log");
      return format.equals(OFF)
          ? Optional.empty()
          : Optional.of(
              new NyalaConfig.AccessLogging(
                  AccessLog.Format.valueOf(format.toUpperCase(Locale.ROOT)), settings));
    }

    private Optional<LogSettings> audit() {
      ConfigSection audit = section.section("audit");
      boolean enabled = audit.bool("enabled", false);
      LogSettings settings = settings(audit, "logs/audit.ldif");
      return enabled ? Optional.of(settings) : Optional.empty();
    }

    private Optional<SecuritySettings> security() {
      ConfigSection security = section.section("security");
      // By default it is kept if it can be: it is no reason for a server not to start.
      boolean isRequired = security.has("file") || security.has("format");
      String format = security.word("format", "text", List.of(OFF, "text", "json"));
      SecuritySettings settings =
          Keys.read(
              SecuritySettings.class,
              security,
              Map.of(
                  "format",
                  format.equals(OFF)
                      ? SecuritySettings.Format.TEXT
                      : SecuritySettings.Format.valueOf(format.toUpperCase(Locale.ROOT)),
                  "isRequired",
                  isRequired,
                  "file",
                  settings(security, "logs/security.log")));
      return format.equals(OFF) ? Optional.empty() : Optional.of(settings);
    }

    private LogSettings settings(ConfigSection of, String file) {
      long queueMebibytes = section.integer("queueMebibytes", 32, 1, 1 << MEBIBYTE_SHIFT);
      return Keys.read(
          LogSettings.class,
          of,
          Map.of(
              "file", of.base().resolve(of.text("file", file)),
              "queueRecords", section.integer("queueRecords", 65_536, 16, 1 << 24),
              "queueBytes", queueMebibytes << MEBIBYTE_SHIFT));
    }
  }

  /**
   * Reads it from its section.
   *
   * @param isPossible true if connections can be encrypted
   * @throws ConfigurationException also if it demands encryption by name where there is none
   */
  private static MinimumStrength minimumStrength(ConfigSection security, boolean isPossible) {
    ConfigSection section = security.section("minimumStrength");
    MinimumStrength read = anyStrength(section);
    if (!isPossible) {
      refuse(section, "any", read.any());
      refuse(section, "simpleBind", read.sparesThisMachine() ? 0 : read.simpleBind());
      refuse(section, "write", read.write());
    }
    return read;
  }

  private static void refuse(ConfigSection section, String key, int bits) {
    if (bits > 0) {
      throw section.problem(key, "encryption needs a certificate: set nyala.tls.certificate");
    }
  }

  private static MinimumStrength anyStrength(ConfigSection section) {
    int simpleBind = (int) section.number("simpleBind", ConfigSection.AUTO, 0, 0, MOST_BITS);
    boolean isAuto = section.isAuto("simpleBind");
    return Keys.read(
        MinimumStrength.class,
        section,
        Map.of(
            "simpleBind",
            isAuto ? MinimumStrength.DEFAULT.simpleBind() : simpleBind,
            "sparesThisMachine",
            isAuto));
  }
}
