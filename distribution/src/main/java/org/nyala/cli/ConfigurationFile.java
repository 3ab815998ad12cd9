package org.nyala.cli;

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
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.operation.DynamicSettings;
import org.nyala.core.operation.UpdateSettings;
import org.nyala.core.password.PasswordScheme;
import org.nyala.lmdb.IndexDefinition;
import org.nyala.lmdb.LargeThresholds;
import org.nyala.lmdb.LmdbSettings;
import org.nyala.netty.WireSettings;

/**
 * The configuration file: HOCON, one object {@code nyala}.
 *
 * <p>Every key is optional; {@code conf/nyala.conf} as it is shipped names each with its default.
 * Confined to one thread.
 */
final class ConfigurationFile {
  private static final String NAME = "nyala";
  static final String LIMITS = NAME + ".limits.";
  private static final String DEFAULT_LISTENER =
      ListenAddress.url("127.0.0.1", ListenAddress.DEFAULT_PORT);
  private static final String DEFAULT_DATA = "data";
  private static final List<String> INDEX_KINDS = List.of("eq", "sub", "pres", "ord");
  static final List<String> PASSWORD_SCHEMES =
      List.of("SSHA512", "SSHA384", "SSHA256", "SSHA", "BCRYPT", "CRYPT");
  private static final int MILLIS_PER_SECOND = 1000;
  private static final int GIB_SHIFT = 30;
  private static final int MAP_SIZE_GIB = 1 << 14;
  private static final int THREADS = 1024;
  private static final int MANY = 1_000_000_000;
  private static final int LAST_SERVER = 4095;
  private static final int DAY_SECONDS = 86_400;
  private static final int DYNAMIC_ENTRIES = 100_000_000;

  private final ConfigSection root;
  private final Path base;

  private ConfigurationFile(ConfigSection root, Path base) {
    this.root = root;
    this.base = base;
  }

  /** The configuration of an installation; the defaults where it has no file. */
  static NyalaConfig ofInstallation(Installation installation) {
    Optional<Path> file = installation.configurationFile();
    return file.isPresent()
        ? read(file.get(), installation.base())
        : parse(ConfigFactory.empty(), installation.base());
  }

  /**
   * Reads a file.
   *
   * @param base what relative paths in it are relative to
   * @throws ConfigurationException saying file, line, key and what was expected
   */
  static NyalaConfig read(Path file, Path base) {
    return parse(load(file), base);
  }

  /** The names of all keys that there are; those of {@code indexes} are the administrator's. */
  static Set<String> keys() {
    ConfigurationFile file = of(ConfigFactory.empty(), Path.of(""));
    file.configuration();
    return file.root.knownKeys();
  }

  /** What is expected of every key, by its name, for people; those of {@code indexes} left out. */
  static Map<String, String> expectations() {
    ConfigurationFile file = of(ConfigFactory.empty(), Path.of(""));
    file.configuration();
    return file.root.expectations();
  }

  /** What every key stands at where a file says nothing. */
  static Settings defaults() {
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
      String problem = Failures.line(e).replaceFirst("^" + Pattern.quote(file + ": "), "");
      throw ConfigurationException.of(file.toString(), problem);
    }
  }

  /**
   * What limits there are with one of them changed, everything else at its default.
   *
   * @param settings has the others
   * @param key with its section, such as {@code nyala.limits.sizeLimit}
   * @throws ConfigurationException when the value is out of bounds
   */
  static NyalaConfig ofLimits(Settings settings, String key, long value) {
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
    return new ConfigurationFile(ConfigSection.root(config, NAME), base);
  }

  private NyalaConfig configuration() {
    return new NyalaConfig(
        base.resolve(root.text("data", DEFAULT_DATA)),
        root.text("run").map(base::resolve),
        root.textsOrEmpty("suffixes"),
        rootAccount(),
        access(),
        updates(),
        dispatch(),
        limits(),
        wire(),
        store(),
        indexes(),
        ManagementConfiguration.read(root.section("management"), base),
        LogConfiguration.read(root.section("log"), base),
        root.settings());
  }

  private AccessPolicy access() {
    ConfigSection section = root.section("access");
    return new AccessPolicy(section.bool("anonymousRead", false))
        .withSelfPasswordChange(section.bool("selfPasswordChange", true));
  }

  private Optional<NyalaConfig.Root> rootAccount() {
    ConfigSection section = root.section("root");
    Optional<String> dn = section.text("dn");
    Optional<String> password = section.secret("password", base);
    if (dn.isEmpty()) {
      if (password.isPresent()) {
        throw root.problem("root", "a password needs a dn beside it");
      }
      return Optional.empty();
    }
    if (password.isEmpty()) {
      throw section.problem("dn", "expected either password or passwordFile beside it");
    }
    return Optional.of(new NyalaConfig.Root(dn.get(), password.get()));
  }

  private NyalaConfig.Updates updates() {
    return new NyalaConfig.Updates(
        root.bool("readOnly", false),
        root.integer("serverId", 0, 0, LAST_SERVER),
        root.section("access").texts("writers", List.of()),
        PasswordScheme.valueOf(
            root.section("password")
                .word("scheme", UpdateSettings.DEFAULT_SCHEME.name(), PASSWORD_SCHEMES)),
        integrity(),
        dynamicEntries());
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
        root.sections("uniqueness").stream().map(ConfigurationFile::unique).toList(),
        references.texts("attributes", List.of()),
        references.text("emptyPlaceholder"),
        references.integer("referencesPerChange", 100_000, 1, MANY),
        memberOf());
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

  private NyalaConfig.Dispatch dispatch() {
    ConfigSection section = root.section("dispatch");
    return new NyalaConfig.Dispatch(
        section.word("strategy", DispatchStrategies.DEFAULT, DispatchStrategies.OFFERED),
        section.integerOrAuto("workers", 1, THREADS),
        section.integerOrAuto("queues", 1, THREADS),
        section.integerOrAuto("permits", 1, MANY),
        section.integer("laziness", DispatchSettings.DEFAULT_LAZINESS, 0, MANY),
        section.integerOrAuto("hashThreads", 1, THREADS),
        section.integer("ownerSharePercent", DispatchSettings.DEFAULT_OWNER_SHARE_PERCENT, 1, 100),
        section.integer(
            "hashNiceness",
            ThreadScheduling.NICENESS_OF_HASHES,
            0,
            ThreadScheduling.GREATEST_NICENESS),
        section.integer("writerNiceness", 0, 0, ThreadScheduling.GREATEST_NICENESS),
        section.integer(
            "writerSharePercent", WriterPace.DEFAULT_SHARE_PERCENT, 1, WriterPace.WHOLE_PERCENT),
        section.integer(
            "writerRestMillis", WriterPace.DEFAULT_REST_MILLIS, 0, WriterPace.LONGEST_REST_MILLIS));
  }

  private ServerLimits limits() {
    ConfigSection section = root.section("limits");
    ServerLimits d = ServerLimits.DEFAULT;
    return new ServerLimits(
        section.integer("inFlightPerConnection", d.inFlightPerConnection(), 1, 65_536),
        section.integer("deferredPerConnection", d.deferredPerConnection(), 1, 65_536),
        section.integer("filterDepth", d.filterDepth(), 1, 512),
        section.integer("filterNodes", d.filterNodes(), 1, 1_000_000),
        section.integer("dnLength", d.dnLength(), 64, 65_535),
        section.integer("dnRdns", d.dnRdns(), 1, 65_536),
        section.integer("requestedAttributes", d.requestedAttributes(), 1, 1_000_000),
        section.integer("controls", d.controls(), 1, 65_536),
        section.integer("sizeLimit", d.sizeLimit(), 0, MANY),
        section.integer("timeLimitSeconds", d.timeLimitSeconds(), 0, MANY),
        section.integer("lookThroughLimit", d.lookThroughLimit(), 0, MANY),
        section.integer("aliasDepth", d.aliasDepth(), 0, 1024),
        section.integer("admissionTimeoutSeconds", d.admissionTimeoutSeconds(), 0, MANY),
        updateLimits(section),
        sortLimits(section),
        standingLimits(section));
  }

  private static ServerLimits.SortLimits sortLimits(ConfigSection section) {
    ServerLimits.SortLimits d = ServerLimits.SortLimits.DEFAULT;
    return new ServerLimits.SortLimits(
        section.integer("sortEntries", d.sortEntries(), 0, MANY),
        section.integer("sortMemoryMebibytes", d.sortMemoryMebibytes(), 1, 65_536));
  }

  private static ServerLimits.UpdateLimits updateLimits(ConfigSection section) {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    return new ServerLimits.UpdateLimits(
        section.integer("writeQueue", d.writeQueue(), 2, 1 << 24),
        section.integer("writeBatch", d.writeBatch(), 1, 65_536),
        section.integer("treeDeleteEntries", d.treeDeleteEntries(), 1, MANY),
        section.integer("valuesPerAttribute", d.valuesPerAttribute(), 1, MANY),
        section.integer("attributeOptions", d.attributeOptions(), 0, 32_768));
  }

  private static ServerLimits.StandingLimits standingLimits(ConfigSection section) {
    ServerLimits.StandingLimits d = ServerLimits.StandingLimits.DEFAULT;
    return new ServerLimits.StandingLimits(
        section.integer("transactionsPerConnection", d.transactionsPerConnection(), 0, 65_536),
        section.integer("transactionUpdates", d.transactionUpdates(), 1, 1_000_000),
        section.integer("transactionBytes", d.transactionBytes(), 1024, MANY),
        section.integer("persistentSearches", d.persistentSearches(), 0, 1_000_000),
        section.integer(
            "persistentSearchesPerConnection", d.persistentSearchesPerConnection(), 0, 65_536),
        section.integer("persistentSearchBytes", d.persistentSearchBytes(), 1024, MANY));
  }

  private WireSettings wire() {
    ConfigSection section = root.section("limits");
    WireSettings d = WireSettings.on("127.0.0.1", ListenAddress.DEFAULT_PORT);
    int anonymous =
        section.integer("pduLimitAnonymousBytes", d.pduLimitAnonymousBytes(), 1024, MANY);
    int low = section.integer("writeBufferLowBytes", d.waterMarks().lowBytes(), 0, MANY);
    return new WireSettings(
        listeners(),
        transport(),
        root.section("dispatch").integerOrAuto("eventLoops", 1, THREADS),
        root.section("dispatch")
            .integer("connectionsPerEventLoop", d.connectionsPerEventLoop(), 1, MANY),
        anonymous,
        section.integer("pduLimitBoundBytes", d.pduLimitBoundBytes(), anonymous, MANY),
        section.integer("connections", d.connections(), 0, MANY),
        section.integer("connectionsPerAddress", d.connectionsPerAddress(), 0, MANY),
        millis(section, "partialPduTimeoutSeconds", d.partialPduTimeoutMillis()),
        millis(section, "idleTimeoutSeconds", d.idleTimeoutMillis()),
        millis(section, "writeStallTimeoutSeconds", d.writeStallTimeoutMillis()),
        millis(section, "drainTimeoutSeconds", d.drainTimeoutMillis()),
        new WireSettings.WaterMarks(
            low, section.integer("writeBufferHighBytes", d.waterMarks().highBytes(), low, MANY)),
        connectionTable());
  }

  private WireSettings.Table connectionTable() {
    ConfigSection section = root.section("dispatch");
    String label = section.text("connectionTable", WireSettings.Table.PER_LOOP.label());
    try {
      return WireSettings.Table.parse(label);
    } catch (IllegalArgumentException e) {
      throw section.problem("connectionTable", Failures.line(e) + ", found '" + label + "'");
    }
  }

  private static long millis(ConfigSection section, String key, long defaultMillis) {
    int seconds = (int) (defaultMillis / MILLIS_PER_SECOND);
    return (long) section.integer(key, seconds, 0, DAY_SECONDS) * MILLIS_PER_SECOND;
  }

  private List<WireSettings.Listener> listeners() {
    List<String> urls = root.texts("listeners", List.of(DEFAULT_LISTENER));
    if (urls.isEmpty()) {
      throw root.problem("listeners", "expected at least one listener");
    }
    try {
      return urls.stream().map(url -> ListenAddress.parse(url).toListener()).toList();
    } catch (IllegalArgumentException e) {
      throw root.problem("listeners", Failures.line(e));
    }
  }

  private WireSettings.Transport transport() {
    List<String> offered = List.of(ConfigSection.AUTO, "epoll", "io_uring", "nio");
    String word = root.word("transport", ConfigSection.AUTO, offered);
    return WireSettings.Transport.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private LmdbSettings store() {
    ConfigSection section = root.section("store");
    LmdbSettings d = LmdbSettings.DEFAULT;
    int gib = section.integer("mapSizeGiB", (int) (d.mapSizeBytes() >> GIB_SHIFT), 1, MAP_SIZE_GIB);
    int most = Math.max(gib, (int) (d.maximumMapSizeBytes() >> GIB_SHIFT));
    return new LmdbSettings(
        (long) gib << GIB_SHIFT,
        (long) section.integer("maximumMapSizeGiB", most, gib, MAP_SIZE_GIB) << GIB_SHIFT,
        section.integer("maximumReaders", d.maximumReaders(), 8, 65_536),
        section.bool("readAhead", d.readAhead()),
        d.readOnly(),
        d.durability(),
        new LargeThresholds(
            section.integer("valuesInRecord", d.large().values(), 8, MANY),
            section.integer("valueBytesInRecord", d.large().octets(), 1024, MANY)));
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
}
