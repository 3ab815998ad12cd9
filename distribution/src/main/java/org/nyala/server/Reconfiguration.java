package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.config.AccessRulesFile;
import org.nyala.config.AccountConfiguration;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.config.RootConfiguration;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.limits.Keys;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.error.Setting;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.StoreException;
import org.nyala.management.DispatchManagement;
import org.nyala.management.ServerWatch;
import org.nyala.management.bean.ServerMXBean.Reloaded;
import org.nyala.netty.NettyLdapServer;
import org.nyala.netty.WireSettings;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsPort;
import org.nyala.service.OpenFolders;

/**
 * Applies changes of the configuration to a running server.
 *
 * <p>Thread-safe: one reload after the other. Everything that can be rejected is checked before
 * anything is changed.
 */
public final class Reconfiguration {
  private static final System.Logger LOG = System.getLogger(Reconfiguration.class.getName());
  private static final String PREFIX = "nyala.";
  private static final String DISPATCH = "nyala.dispatch.";
  private static final String STRATEGY = "nyala.dispatch.strategy";
  private static final String COPY_PASSWORD = "nyala.replication.bind.password";
  private static final String INDEXES = "nyala.indexes.";
  private static final String MAXIMUM_MAP_SIZE = "nyala.store.maximumMapSizeGiB";
  private static final String TLS = "nyala.tls.";
  private static final String SECURITY = "nyala.security.";

  /** The sections of which every key takes effect, unless it is one of {@link #LASTING}. */
  private static final Set<String> SECTIONS =
      Set.of(
          "access",
          "root",
          "limits",
          "dispatch",
          "guessing",
          "log",
          "management.watch",
          "management.tls",
          "passwordPolicy",
          "sasl",
          "security",
          "tls");

  /** The keys of other sections that take effect. */
  private static final Set<String> SINGLE =
      Set.of("store.maximumMapSizeGiB", RootConfiguration.ACCOUNTS);

  /**
   * The keys of those sections that configure threads, buffers or memory for the life of the
   * server.
   */
  private static final Set<String> LASTING =
      Stream.of(
              Keys.lasting("limits.", ServerLimits.class),
              Keys.lasting("", WireSettings.class),
              Keys.lasting("dispatch.", NyalaConfig.Dispatch.class),
              Set.of("dispatch.connectionTable"))
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private static final String SCHEMA = "nyala.schema";
  private final NyalaConfig started;
  private final Installation installation;
  private final List<String> definitions;
  private final Supplier<NyalaConfig> source;
  private final Parts parts;
  private final LogLevels levels = LogLevels.atStart();
  private volatile NyalaConfig inForce;

  /**
   * The parts of a server that can be reconfigured.
   *
   * @param dispatch replaces the settings of strategies, and returns the previous ones
   */
  record Parts(
      LmdbBackend store,
      DirectoryOperations operations,
      DirectoryServer directory,
      NettyLdapServer wire,
      ServerLogs logs,
      ServerWatch watch,
      ManagementAccess access,
      DispatchManagement strategies,
      UnaryOperator<NyalaConfig.Dispatch> dispatch) {}

  /**
   * Creates it for a server that has just started.
   *
   * @param started the configuration that it has started with
   * @param files the schema of the files, without what the store adds
   * @param installation has the schema files
   * @param source reads the configuration again; throws ConfigurationException
   */
  Reconfiguration(
      NyalaConfig started,
      Schema files,
      Installation installation,
      Supplier<NyalaConfig> source,
      Parts parts) {
    this.started = started;
    this.definitions = definitions(files);
    this.installation = installation;
    this.source = source;
    this.parts = parts;
    this.inForce = started;
  }

  /**
   * Changes a limit until the configuration is reloaded or the server ends.
   *
   * @param name such as {@code sizeLimit}
   * @return its previous value
   * @throws ConfigurationException if there is no such limit, it takes a restart, or the value is
   *     out of bounds; nothing was changed then
   */
  synchronized long changeLimit(String name, long value) {
    String key = ConfigurationFile.LIMITS + name;
    Setting before = inForce.settings().all().get(key);
    if (before == null) {
      throw ConfigurationException.of(key, "there is no such limit");
    }
    if (!takesEffect(key)) {
      throw ConfigurationException.of(key, "takes a restart: change it in the configuration");
    }
    NyalaConfig wanted = ConfigurationFile.ofLimits(inForce.settings(), key, value);
    NyalaConfig changed =
        inForce.withLimits(
            wanted.limits(),
            bounds(inForce.wire(), wanted.wire()),
            inForce.settings().with(key, Setting.of(value, Setting.MANAGEMENT)));
    bound(changed, parts.store().extendedSchema().schema());
    inForce = changed;
    LOG.log(Level.INFO, "{0} = {1} over JMX, was {2}", key, value, before.value());
    return Long.parseLong(before.value());
  }

  /** Returns whether a key takes effect without a restart. */
  public static boolean takesEffect(String key) {
    String name = key.substring(PREFIX.length());
    return SINGLE.contains(name)
        || !LASTING.contains(name)
            && SECTIONS.stream().anyMatch(section -> name.startsWith(section + "."));
  }

  /**
   * Reads the configuration and applies its changes.
   *
   * @throws ConfigurationException with the mistake and its place; nothing was changed then
   */
  synchronized Reloaded reload() {
    try {
      Reloaded changes = readAgain();
      parts.logs().reloaded(changes.tookEffect());
      return changes;
    } catch (RuntimeException e) {
      parts.logs().reloadFailed(ErrorMessages.line(e));
      throw e;
    }
  }

  private Reloaded readAgain() {
    NyalaConfig wanted = source.get();
    Schema files = readSchema(wanted);
    Schema schema = parts.store().extendedSchema().schema();
    ConfigurationCheck.check(
        wanted, schema, parts.store().indexes(), parts.store().namingContexts());
    requireReaders(wanted);
    requireRoom(wanted);
    Properties wantedLevels = levels.read();
    Reloaded changes = changes(wanted, wantedLevels, !definitions(files).equals(definitions));
    Renewals certificates = readTls(wanted);
    certificates.tell(changes.tookEffect());
    ConfiguredKerberos _ = ConfiguredKerberos.takeOver(wanted); // Nothing is rejected behind it.
    apply(wanted, schema, changes.tookEffect());
    certificates.takeOver();
    parts.access().reconfigure(wanted.management());
    levels.apply(wantedLevels);
    OpenFolders.tellOfRules(wanted);
    inForce = wanted;
    LOG.log(
        Level.INFO,
        "configuration read again; took effect: {0}; takes a restart: {1}",
        text(changes.tookEffect()),
        text(changes.needRestart()));
    return changes;
  }

  /** Returns the configuration in force. */
  NyalaConfig inForce() {
    return inForce;
  }

  /**
   * Reads the schema files as a start does, and rejects what it would: they take effect with it.
   *
   * @throws ConfigurationException if a start would fail
   */
  private Schema readSchema(NyalaConfig wanted) {
    try {
      Schema files = wanted.schema(installation);
      Schema _ = ConfigurationCheck.checkStart(wanted, files, parts.store());
      return files;
    } catch (CommandException | StoreException | IOException e) {
      throw ConfigurationException.of(SCHEMA, ErrorMessages.explain(e));
    }
  }

  private static List<String> definitions(Schema schema) {
    List<String> all = new ArrayList<>(SchemaDescriptions.attributeTypes(schema));
    all.addAll(SchemaDescriptions.objectClasses(schema));
    all.addAll(SchemaDescriptions.contentRules(schema));
    all.addAll(SchemaDescriptions.nameForms(schema));
    all.addAll(SchemaDescriptions.structureRules(schema));
    Collections.sort(all);
    return all;
  }

  /** Reads certificates and keys again, whose files may have changed although no key has. */
  private Renewals readTls(NyalaConfig wanted) {
    try {
      return new Renewals(
          parts.wire().readTls(wanted.wire().tls()), parts.access().readTls(wanted));
    } catch (TlsFileException e) {
      throw ConfigurationException.of("nyala.tls", String.valueOf(e.getMessage()));
    }
  }

  /**
   * The certificates that a reload has read; null where there are none.
   *
   * @param ldap those of the listeners
   * @param management those of the ports of the management
   */
  private record Renewals(TlsPort.@Nullable Renewal ldap, TlsPort.@Nullable Renewal management) {
    /** Tells of files that differ from those in use. */
    private void tell(List<String> tookEffect) {
      tell("nyala.tls", ldap, tookEffect);
      tell("nyala.management.tls", management, tookEffect);
    }

    private static void tell(
        String key, TlsPort.@Nullable Renewal renewal, List<String> tookEffect) {
      if (renewal != null && renewal.isOther()) {
        tookEffect.add(
            key
                + ": the certificates are those of the changed files; the first one ends on "
                + renewal.firstEnd());
      }
    }

    private void takeOver() {
      if (ldap != null) {
        ldap.takeOver().run();
      }
      if (management != null) {
        management.takeOver().run();
      }
    }
  }

  /** Rejects too few readers: the opened store has as many slots as when it was opened. */
  private void requireReaders(NyalaConfig wanted) {
    int readers = parts.store().status().readers().maximumSlots();
    int threads = wanted.dispatch().readingThreads(started.wire());
    if (threads > Math.max(readers, inForce.dispatch().readingThreads(started.wire()))) {
      throw ConfigurationException.of(
          "nyala.dispatch",
          String.format(
              Locale.ROOT,
              "workers, queues and diskThreads make, with the event loops, %d threads that read;"
                  + " the store was opened for %d: takes a restart",
              threads,
              readers));
    }
  }

  /** Rejects a maximum that the data file has outgrown. */
  private void requireRoom(NyalaConfig wanted) {
    long used = parts.store().status().space().usedBytes();
    if (wanted.store().maximumMapSizeBytes() < used) {
      throw wanted.problem(
          MAXIMUM_MAP_SIZE,
          String.format(
              Locale.ROOT,
              "the data file has grown to %d bytes: it cannot be bounded to less; see nyala"
                  + " compact",
              used));
    }
  }

  private static String text(List<String> keys) {
    return keys.isEmpty() ? "nothing" : String.join(", ", keys);
  }

  /** Reloads and reports the result to the log only. */
  void reloadAndLog() {
    try {
      reload();
    } catch (ConfigurationException e) {
      LOG.log(Level.ERROR, "the configuration stays as it was: {0}", ErrorMessages.line(e));
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "the configuration was not read again", e);
    }
  }

  /**
   * Returns the changes: keys that take effect are compared with the values in force, others with
   * those of the start, so that they are reported until a restart.
   */
  private Reloaded changes(
      NyalaConfig wanted, Properties wantedLevels, boolean hasOtherDefinitions) {
    List<String> tookEffect = new ArrayList<>();
    List<String> needRestart = new ArrayList<>();
    TreeSet<String> keys = new TreeSet<>(wanted.settings().all().keySet());
    keys.addAll(inForce.settings().all().keySet());
    keys.addAll(started.settings().all().keySet());
    for (String key : keys) {
      boolean isNow =
          takesEffect(key)
              && (!key.startsWith(TLS) || keepsTls(wanted))
              && !ManagementAccess.isOfCertificate(key)
              && (!key.startsWith(SECURITY) || keepsSecurity(wanted));
      if (isNow || parts.access().takesEffect(key, wanted)) {
        describe(key, inForce, wanted).ifPresent(tookEffect::add);
      } else {
        describe(key, started, wanted).ifPresent(needRestart::add);
      }
    }
    // It is not shown, and may have changed in a file of its own.
    tookEffect.addAll(RootConfiguration.changedPasswords(inForce, wanted));
    if (!copyPassword(wanted).equals(copyPassword(started))) {
      needRestart.add(COPY_PASSWORD);
    }
    if (hasOtherRules(wanted) && describe(AccessRulesFile.KEY, inForce, wanted).isEmpty()) {
      tookEffect.add(AccessRulesFile.KEY + ": the rules in the file have changed");
    }
    if (hasOtherDefinitions) {
      needRestart.add(SCHEMA + ": the definitions in the files have changed");
    }
    tookEffect.addAll(parts.access().changedAccounts(inForce, wanted));
    levels.differing(wantedLevels).forEach(key -> tookEffect.add("logging.properties: " + key));
    return new Reloaded(tookEffect, needRestart);
  }

  private boolean hasOtherRules(NyalaConfig wanted) {
    return !Objects.equals(text(wanted), text(inForce));
  }

  private static Optional<String> text(NyalaConfig configuration) {
    return Optional.ofNullable(configuration.access().rules()).map(RulesText::text);
  }

  private static Optional<String> copyPassword(NyalaConfig configuration) {
    return configuration.updates().replication().map(copy -> copy.provider().login().password());
  }

  /** Returns whether a key belongs to an account, which takes effect if there was one before. */
  public static boolean isOfAccount(String key) {
    return ManagementAccess.isOfAccount(key);
  }

  /** Returns whether there are certificates, and were at the start: otherwise listeners change. */
  private boolean keepsTls(NyalaConfig wanted) {
    return !started.wire().tls().certificates().isEmpty()
        && !wanted.wire().tls().certificates().isEmpty();
  }

  /** Returns a configuration with the demands of encryption that were there at the start. */
  private NyalaConfig secured(NyalaConfig wanted) {
    return wanted.withAccess(
        wanted.access().withMinimumStrength(started.access().minimumStrength()));
  }

  /** Returns whether connections can be encrypted if and only if they can be demanded to be. */
  private boolean keepsSecurity(NyalaConfig wanted) {
    return started.wire().tls().certificates().isEmpty()
        == wanted.wire().tls().certificates().isEmpty();
  }

  private static Optional<String> describe(String key, NyalaConfig before, NyalaConfig after) {
    @Nullable Setting old = before.settings().all().get(key);
    @Nullable Setting now = after.settings().all().get(key);
    String oldValue = old == null ? "null" : old.value();
    String newValue = now == null ? "null" : now.value();
    boolean isHidden = old != null && old.isHidden() || now != null && now.isHidden();
    if (Objects.equals(oldValue, newValue)) {
      return Optional.empty();
    }
    String line = isHidden ? key : key + " = " + newValue + " (was " + oldValue + ")";
    return Optional.of(
        key.startsWith(INDEXES) ? line + "; only new data directories, see nyala index" : line);
  }

  private void apply(NyalaConfig wanted, Schema schema, List<String> tookEffect) {
    parts.logs().reconfigure(wanted);
    if (tookEffect.stream().anyMatch(line -> line.startsWith(DISPATCH))) {
      switchDispatch(wanted.dispatch(), tookEffect);
    }
    bound(wanted, schema);
    parts.store().mapSize().maximum(wanted.store().maximumMapSizeBytes());
    parts.watch().reconfigure(wanted.management().watch());
  }

  private void bound(NyalaConfig wanted, Schema schema) {
    ServerLimits limits = Keys.lasting(started.limits(), wanted.limits());
    AccessPolicy access =
        AccountConfiguration.access(keepsSecurity(wanted) ? wanted : secured(wanted), schema);
    RootAccounts roots = RootConfiguration.of(wanted, schema, parts.store().namingContexts());
    try {
      parts.operations().reconfigure(access, limits, roots);
    } catch (IllegalArgumentException e) {
      throw ConfigurationException.of(AccessRulesFile.KEY, ErrorMessages.line(e));
    }
    parts.directory().reconfigure(limits);
    parts.directory().memory().reconfigure(ServerMemory.bounds(limits));
    parts.wire().reconfigure(bounds(started.wire(), wanted.wire()));
  }

  /** Returns the bounds of a wire that stands, with the wanted ones of those that can change. */
  static WireSettings bounds(WireSettings lasting, WireSettings wanted) {
    return lasting.with(
        draft -> {
          draft.connections = wanted.connections();
          draft.timeouts = wanted.timeouts();
          draft.rates = wanted.rates();
        });
  }

  /**
   * Changes the strategy. One that was chosen at run time stays, unless the configured one has
   * changed.
   */
  private void switchDispatch(NyalaConfig.Dispatch wanted, List<String> tookEffect) {
    boolean isOther = tookEffect.stream().anyMatch(line -> line.startsWith(STRATEGY));
    NyalaConfig.Dispatch before = parts.dispatch().apply(wanted);
    boolean isDone = false;
    try {
      DispatchManagement strategies = parts.strategies();
      strategies.switchStrategy(isOther ? wanted.strategy() : strategies.getStrategy());
      isDone = true;
    } finally {
      if (!isDone) {
        NyalaConfig.Dispatch _ = parts.dispatch().apply(before);
      }
    }
  }
}
