package org.nyala.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.schema.AttributeOptions;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.dynamic.DynamicSettings;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.error.Setting;
import org.nyala.integrity.IntegritySettings;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.log.AccessLog;
import org.nyala.log.LogSettings;
import org.nyala.log.SecuritySettings;
import org.nyala.management.WatchSettings;
import org.nyala.management.http.HttpAccess;
import org.nyala.management.jmxport.JmxAccount;
import org.nyala.management.jmxport.JmxBounds;
import org.nyala.netty.WireSettings;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.replica.ReplicationSettings;

/**
 * Everything that the configuration file says, one record per module.
 *
 * <p>Immutable.
 *
 * @param data the data directory
 * @param run the folder of the run files; nothing where it is in the data directory
 * @param suffixes the DNs of the naming contexts; none where the data directory's own stand
 * @param ownSchema the schema files of an administrator, and what they change in the shipped ones
 * @param root the account that no limit binds; nothing where there is none
 * @param rootAccounts the accounts that are root of single naming contexts
 * @param access who may read what
 * @param accessRules the file of its rules; nothing where there are none
 * @param updates who may change what, and how
 * @param dispatch where operations run
 * @param limits the directory's bounds
 * @param wire the listeners and the wire's bounds
 * @param store how the store is opened
 * @param indexes the kinds of index of each attribute, for stores that are made from now on;
 *     nothing where the program's own choice stands
 * @param attributeOptions the tagging options that attributes may have
 * @param secretTypes the attribute types whose values are secrets
 * @param management how the server is looked after
 * @param logs what is written down of clients and changes
 * @param extensions what the server does beyond the ten operations
 * @param settings what every key stands at, and where that comes from
 */
public record NyalaConfig(
    Path data,
    Optional<Path> run,
    List<String> suffixes,
    OwnSchema ownSchema,
    Optional<Root> root,
    List<Root> rootAccounts,
    AccessPolicy access,
    Optional<AccessRulesFile> accessRules,
    Updates updates,
    Dispatch dispatch,
    ServerLimits limits,
    WireSettings wire,
    LmdbSettings store,
    Optional<Map<String, List<String>>> indexes,
    AttributeOptions attributeOptions,
    SecretTypes secretTypes,
    Management management,
    Logs logs,
    List<ConfiguredExtension> extensions,
    Settings settings) {

  public NyalaConfig {
    suffixes = List.copyOf(suffixes);
    rootAccounts = List.copyOf(rootAccounts);
    extensions = List.copyOf(extensions);
  }

  /**
   * A root account.
   *
   * @param dn its name
   * @param password its password, hashed with a scheme in braces or in clear text
   * @param suffixes the DNs of the naming contexts of which it is root; none for all
   */
  public record Root(String dn, String password, List<String> suffixes) {
    public Root {
      suffixes = List.copyOf(suffixes);
    }

    /** Creates the account that is root of everything. */
    public Root(String dn, String password) {
      this(dn, password, List.of());
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
      return "Root[dn=" + dn + "]";
    }
  }

  /**
   * The settings of changes of the directory.
   *
   * @param readOnly whether it does not at all
   * @param serverId the server's number in change sequence numbers
   * @param writers the DNs of who may change entries, besides root
   * @param passwordScheme how new passwords are stored
   * @param hashBounds how much work stored passwords may ask for
   * @param hashesClearText true if passwords in clear text are hashed before they are stored
   * @param upgradesAtBind true if weakly stored passwords are stored anew after a bind
   * @param expectedLoginsPerSecond the logins a second that the scheme should allow on this
   *     machine; 0 if nothing is expected
   * @param remembered the bounds of passwords that are remembered after a login
   * @param passwordPolicy the DN of the password policy of accounts that name none
   * @param policyRules the rules that choose others
   * @param policies the other settings of password policies
   * @param quality how new passwords are checked by policies that want it
   * @param integrity what is kept true of entries together
   * @param dynamic how long dynamic entries live; nothing where there are none
   * @param replication the other server whose naming context is copied; nothing where there is none
   * @param log the log of modifications that consumers follow
   */
  public record Updates(
      boolean readOnly,
      int serverId,
      List<String> writers,
      PasswordScheme passwordScheme,
      HashBounds hashBounds,
      boolean hashesClearText,
      boolean upgradesAtBind,
      int expectedLoginsPerSecond,
      RememberedPasswords.Settings remembered,
      Optional<String> passwordPolicy,
      List<PolicyChoice> policyRules,
      PolicySettings policies,
      Quality quality,
      IntegritySettings integrity,
      Optional<DynamicSettings> dynamic,
      Optional<ReplicationSettings> replication,
      ModificationLog log) {
    public Updates {
      writers = List.copyOf(writers);
      policyRules = List.copyOf(policyRules);
    }
  }

  /**
   * The log of modifications that consumers follow; there is none where the store keeps none.
   *
   * @param base its name
   * @param readers the DNs of who may read it, besides root
   */
  public record ModificationLog(
      @Key(text = "cn=accesslog") String base, @Key List<String> readers) {
    public ModificationLog {
      readers = List.copyOf(readers);
    }
  }

  /**
   * A rule that chooses a password policy.
   *
   * @param subtree the DN at and below which entries are; nothing for all
   * @param filter the filter that they match; nothing for all
   * @param group the DN of the group that lists them; nothing for all
   * @param policy the DN of the policy
   */
  public record PolicyChoice(
      @Key Optional<String> subtree,
      @Key Optional<String> filter,
      @Key Optional<String> group,
      String policy) {}

  /**
   * The checks of new passwords.
   *
   * @param minimumGuessBits the binary logarithm of the guesses that one has to take
   * @param refusesOwnAttributes true if none may be like the attributes of its entry
   * @param breached the file of breached passwords
   */
  public record Quality(
      @Key(usual = 30, to = 128) int minimumGuessBits,
      @Key(name = "refuseOwnAttributes", on = true) boolean refusesOwnAttributes,
      @Key(name = "breachedPasswords") Optional<Path> breached) {}

  /**
   * The threads on which operations run.
   *
   * @param strategy the name of a strategy
   * @param workers threads beside the event loops; 0 is automatic
   * @param queues queues between event loops and workers; 0 is automatic
   * @param permits operations beside the event loops at once; 0 is automatic
   * @param laziness free permits at which a waiting connection is read again
   * @param hashThreads threads for slow password hashes; 0 is automatic
   * @param diskThreads threads for operations that wait for the disk; 0 is automatic
   * @param ownerSharePercent what one identity may have of the permits, 1 to 100
   * @param hashNiceness how far the threads for slow password hashes step back, 0 to 19. By default
   *     they have a third of an event loop's weight if both want the same processor: a hash takes a
   *     hundred times as long as a search in any case
   * @param writer the share of processor time of the writer
   */
  public record Dispatch(
      String strategy,
      @Key(zero = "auto", from = 1, to = 1024) int workers,
      @Key(zero = "auto", from = 1, to = 1024) int queues,
      @Key(zero = "auto", from = 1) int permits,
      @Key(usual = DispatchSettings.DEFAULT_LAZINESS) int laziness,
      @Key(zero = "auto", from = 1, to = 1024) int hashThreads,
      @Key(zero = "auto", from = 1, to = 1024) int diskThreads,
      @Key(usual = DispatchSettings.DEFAULT_OWNER_SHARE_PERCENT, from = 1, to = 100)
          int ownerSharePercent,
      @Key(usual = 5, to = 19) int hashNiceness,
      WriterShare writer) {
    /** The number of workers that this makes on this machine. */
    public int workerThreads() {
      return DispatchSettings.workerThreads(workers);
    }

    /** The number of threads of a server that may read the store at once, whatever the strategy. */
    public int readingThreads(WireSettings wire) {
      return wire.eventLoopThreads()
          + Math.max(workerThreads(), queues)
          + DispatchSettings.diskThreads(diskThreads);
    }
  }

  /**
   * The share of processor time of the writer.
   *
   * @param niceness how far it steps back for other threads, 0 to 19
   * @param sharePercent its share of all processors while searches want them as well, 1 to 100. The
   *     default is small, because a commit costs the machine several times the writer's own run
   *     time: the results of November 2026 show what it leaves to searches
   * @param restMillis the longest rest for that between two commits, so that each carries others as
   *     well
   */
  public record WriterShare(
      @Key(name = "writerNiceness", to = 19, lasting = true) int niceness,
      @Key(name = "writerSharePercent", usual = 2, from = 1, to = 100, lasting = true)
          int sharePercent,
      @Key(name = "writerRestMillis", usual = 30, to = 1000, lasting = true) int restMillis) {}

  /**
   * The settings of the server's management.
   *
   * @param http how clients come in that speak HTTP
   * @param jmx how JMX clients come in
   * @param watch from when on something is wrong
   * @param tls the certificates of both ports; none if neither is encrypted
   * @param searchShapes the shapes of searches that are counted at once; 0 for none
   */
  public record Management(
      Http http, Jmx jmx, WatchSettings watch, TlsSettings tls, int searchShapes) {}

  /**
   * The port for clients that read metrics and health.
   *
   * @param address where they connect to; nowhere unless asked for
   * @param isTls true if connections are encrypted
   * @param access who may read, and act by the live page
   */
  public record Http(Optional<ListenAddress> address, boolean isTls, HttpAccess access) {}

  /**
   * The access of JMX clients.
   *
   * @param address where they connect to; nothing where there is no port for them
   * @param isTls true if connections are encrypted
   * @param accounts who may; where there are none, who reaches the port may read
   * @param bounds what one client may have of the port
   */
  public record Jmx(
      Optional<ListenAddress> address, boolean isTls, List<JmxAccount> accounts, JmxBounds bounds) {
    public Jmx {
      accounts = List.copyOf(accounts);
    }
  }

  /**
   * The logs of clients and changes.
   *
   * @param access nothing where no access log is kept
   * @param audit nothing where changes are not written down
   * @param security nothing where no security log is kept
   * @param slowMillis the time from which a request counts as slow; 0 where none does
   */
  public record Logs(
      Optional<AccessLogging> access,
      Optional<LogSettings> audit,
      Optional<SecuritySettings> security,
      int slowMillis) {
    /** Nothing is written down. */
    public static final Logs NONE =
        new Logs(Optional.empty(), Optional.empty(), Optional.empty(), 0);
  }

  /**
   * The log of requests.
   *
   * @param format in which words
   * @param settings where
   */
  public record AccessLogging(AccessLog.Format format, LogSettings settings) {}

  /** The same for another data directory, which has its run files in it. */
  public NyalaConfig withData(Path other) {
    return Keys.with(this, Map.of("data", other, "run", Optional.empty()));
  }

  /** The same with the security log, if one is kept, in another file. */
  public NyalaConfig withSecurityLog(Path file) {
    Optional<SecuritySettings> security = logs.security().map(each -> each.at(file));
    return Keys.with(this, "logs", Keys.with(logs, "security", security));
  }

  public NyalaConfig withSuffixes(List<String> other) {
    return Keys.with(this, "suffixes", other);
  }

  public NyalaConfig withAccess(AccessPolicy other) {
    return Keys.with(this, "access", other);
  }

  public NyalaConfig withListeners(List<ListenAddress> addresses) {
    WireConfiguration.requireCertificate(
        wire.tls(), addresses.stream().anyMatch(ListenAddress::isTls));
    List<WireSettings.Listener> listeners =
        addresses.stream().map(ListenAddress::toListener).toList();
    return Keys.with(this, "wire", wire.with(draft -> draft.listeners = listeners));
  }

  /** The same with other limits. */
  public NyalaConfig withLimits(ServerLimits others, WireSettings otherWire, Settings noted) {
    return Keys.with(this, Map.of("limits", others, "wire", otherWire, "settings", noted));
  }

  /** Notes that the command line has changed what a key stands at. */
  public NyalaConfig notingCommandLine(String key, Object value) {
    return Keys.with(this, "settings", settings.with(key, Setting.of(value, Setting.COMMAND_LINE)));
  }

  /** Makes the exception for a wrong value of a key, with its place in the file. */
  public ConfigurationException problem(String key, String problem) {
    return settings.problem(key, problem);
  }

  /**
   * Parses the name of an entry that a key has.
   *
   * @throws ConfigurationException if it is no DN
   */
  Dn dn(Schema schema, String key, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw problem(key, "expected a DN, found '" + text + "': " + ErrorMessages.line(e));
    }
  }

  /** True if the data directory has data. */
  public boolean hasData() {
    return Files.isRegularFile(data.resolve("data.mdb"));
  }

  /**
   * The schema of an installation with the files of {@code nyala.schema.folders}, and the tagging
   * options. That these change shipped files is told at a start and by a check, once for each.
   */
  public Schema schema(Installation installation) throws IOException {
    return schema(installation, _ -> {});
  }

  /** Returns the same schema, with a receiver of a line for each definition that is replaced. */
  public Schema schema(Installation installation, Consumer<String> notes) throws IOException {
    return installation
        .schema(ownSchema, secretTypes, notes)
        .withAttributeOptions(attributeOptions);
  }

  /** Refuses a data directory without data. */
  public void requireData() {
    if (!hasData()) {
      throw CommandException.failed(
          "there is no directory data in " + data + ": run 'nyala import' first");
    }
  }

  /** Refuses a data directory without data, unless the configuration says what is to be there. */
  public void requireServable() {
    if (!hasData() && suffixes.isEmpty()) {
      throw CommandException.usage(
          "there is no directory data in "
              + data
              + ": run 'nyala import' first, or name the suffixes of an empty directory in"
              + " nyala.suffixes of the configuration");
    }
  }
}
