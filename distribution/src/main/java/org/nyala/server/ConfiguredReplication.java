package org.nyala.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.DirectoryServer;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaSettings;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.error.ErrorMessages;
import org.nyala.error.LocalHosts;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.netty.WireSettings;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.netty.tls.TrustedCertificates;
import org.nyala.replica.ContextSwitch;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderUrl;
import org.nyala.replica.ReplicaRunner;
import org.nyala.replica.ReplicationSettings;

/**
 * The copies of another server's naming contexts, as the configuration describes them.
 *
 * <p>Immutable.
 *
 * @param settings what the configuration says
 * @param suffixes the naming contexts
 * @param listeners the addresses of this server
 */
record ConfiguredReplication(
    ReplicationSettings settings, List<Dn> suffixes, List<WireSettings.Listener> listeners) {
  private static final System.Logger LOG = System.getLogger(ConfiguredReplication.class.getName());
  private static final String SUFFIXES = "nyala.replication.suffixes";
  private static final String PROVIDER = "nyala.replication.provider";
  private static final String REFER_TO = "nyala.replication.referTo";
  private static final String TRUST = "nyala.replication.tls.trust";
  private static final String CERTIFICATE = "nyala.replication.tls.certificate";
  private static final String KEYTAB = "nyala.replication.bind.keytab";
  private static final String MESSAGE = "nyala.replication.maximumMessageMebibytes";
  private static final String ENTRY_UUID = "entryUUID";
  private static final int MIB_SHIFT = 20;

  /** The addresses of listeners on all networks. */
  private static final Set<String> ANY_HOSTS = Set.of("0.0.0.0", "::", "*");

  ConfiguredReplication {
    suffixes = List.copyOf(suffixes);
    listeners = List.copyOf(listeners);
  }

  /**
   * Reads it; null if nothing is copied.
   *
   * @param contexts the naming contexts of the store
   * @param indexes its indexes
   * @throws org.nyala.error.ConfigurationException if the store does not hold a naming context, or
   *     lacks the index by which entries are found, or a file cannot be used
   */
  static @Nullable ConfiguredReplication of(
      NyalaConfig configuration, List<Dn> contexts, List<IndexDefinition> indexes, Schema schema) {
    Optional<ReplicationSettings> settings = configuration.updates().replication();
    if (settings.isEmpty()) {
      return null;
    }
    requireIndex(configuration, indexes);
    requireFiles(configuration, settings.get().provider());
    requireOtherServer(configuration, settings.get());
    return new ConfiguredReplication(
        settings.get(),
        suffixes(settings.get(), configuration, contexts, schema),
        configuration.wire().listeners());
  }

  private static List<Dn> suffixes(
      ReplicationSettings settings, NyalaConfig configuration, List<Dn> contexts, Schema schema) {
    if (settings.suffixes().isEmpty()) {
      if (contexts.size() == 1) {
        return contexts;
      }
      throw configuration.problem(
          SUFFIXES, "expected some of the naming contexts of this server: " + contexts);
    }
    List<Dn> suffixes = new ArrayList<>();
    for (String text : settings.suffixes()) {
      Dn suffix = suffix(text, schema);
      if (suffix == null || !contexts.contains(suffix) || suffixes.contains(suffix)) {
        throw configuration.problem(
            SUFFIXES,
            "'"
                + text
                + "' is no naming context of this server, or is named twice: expected some of "
                + contexts);
      }
      suffixes.add(suffix);
    }
    return suffixes;
  }

  private static @Nullable Dn suffix(String text, Schema schema) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private static void requireIndex(NyalaConfig configuration, List<IndexDefinition> indexes) {
    for (IndexDefinition index : indexes) {
      if (index.type().name().equalsIgnoreCase(ENTRY_UUID)
          && index.kinds().contains(IndexKind.EQUALITY)) {
        return;
      }
    }
    throw configuration.problem(
        PROVIDER,
        "a copy needs an index on entryUUID, by which entries are found: add it with 'nyala"
            + " index add entryUUID:eq', or before the import with indexes.entryUUID = [eq]");
  }

  private static void requireFiles(NyalaConfig configuration, ProviderAccess access) {
    Path keytab = access.login().keytab();
    if (keytab != null && !Files.isReadable(keytab)) {
      throw configuration.problem(KEYTAB, keytab + " cannot be read");
    }
    if (access.isEncrypted()) {
      requireCertificates(configuration, TRUST, access.encryption().trust(), null);
      requireCertificates(configuration, CERTIFICATE, null, access.encryption().certificate());
    }
  }

  private static void requireCertificates(
      NyalaConfig configuration,
      String key,
      @Nullable Path trust,
      TlsSettings.@Nullable Files own) {
    try {
      SSLContext _ = TrustedCertificates.context(trust, own);
    } catch (IOException e) {
      throw configuration.problem(key, ErrorMessages.reason(e));
    }
  }

  /** Requires that neither the provider nor the referral is a listener of this server. */
  private static void requireOtherServer(NyalaConfig configuration, ReplicationSettings settings) {
    for (WireSettings.Listener listener : configuration.wire().listeners()) {
      if (listener.local() == null) {
        if (isSame(listener, settings.provider().url())) {
          throw configuration.problem(PROVIDER, "this is a listener of this server");
        }
        if (settings.refersWrites()
            && isSame(listener, ProviderUrl.parse(settings.referralUrl()))) {
          throw configuration.problem(REFER_TO, "this is a listener of this server");
        }
      }
    }
  }

  private static boolean isSame(WireSettings.Listener listener, ProviderUrl url) {
    String host = listener.host();
    boolean isEverywhere = ANY_HOSTS.contains(host);
    return listener.port() == url.port()
        && (host.equalsIgnoreCase(url.host())
            || url.isLoopback() && (isEverywhere || LocalHosts.isLoopback(host)));
  }

  /**
   * Returns the naming contexts that other servers change: not those that were promoted, unless
   * another server was promoted later.
   */
  static ConsumedContexts consumed(
      @Nullable ConfiguredReplication replication, LmdbBackend backend) {
    ConsumedContexts consumed = new ConsumedContexts();
    if (replication != null) {
      ReplicationSettings settings = replication.settings();
      for (Dn suffix : replication.suffixes()) {
        consumed.tellLag(suffix, () -> SyncCookie.UNKNOWN_LAG);
        consumed.configure(
            suffix, settings.refersWrites() ? List.of(settings.referralUrl()) : List.of());
      }
    }
    unfinished(replication, backend).forEach((suffix, _) -> consumed.addUnfinished(suffix));
    consumed.takeNotes(backend);
    return consumed;
  }

  /**
   * Returns the naming contexts that were copies, are not configured as such any more, and have a
   * part of a refresh that has not ended.
   *
   * @return each with the address of its provider
   */
  static Map<Dn, String> unfinished(
      @Nullable ConfiguredReplication replication, LmdbBackend backend) {
    Map<Dn, String> found = new LinkedHashMap<>();
    try (ReadTransaction transaction = backend.beginRead()) {
      for (Dn suffix : backend.namingContexts()) {
        CopySource source = transaction.source(suffix);
        boolean isCopied = replication != null && replication.suffixes().contains(suffix);
        if (source != null && source.isHalf() && !isCopied) {
          found.put(suffix, source.provider());
        }
      }
    }
    return found;
  }

  /** Returns the note that a naming context was promoted; null if it is a copy. */
  private static @Nullable Promotion promotion(Dn suffix, LmdbBackend backend) {
    try (ReadTransaction transaction = backend.beginRead()) {
      Promotion promotion = transaction.promotion(suffix);
      return promotion != null && promotion.isInForce() ? promotion : null;
    }
  }

  /**
   * The runner of a copy, and the switch that ends the copying; closing it ends the connection.
   *
   * <p>Thread-safe.
   */
  record Running(ReplicaRunner runner, ContextSwitch contextSwitch) implements AutoCloseable {
    @Override
    public void close() {
      runner.close();
    }
  }

  /**
   * Starts to keep the copies up to date that were not promoted.
   *
   * @param started receives each copy as soon as it is started, to be closed
   * @throws org.nyala.error.ConfigurationException if there is no memory for the largest message
   */
  List<Running> start(
      NyalaConfig configuration,
      DirectoryOperations operations,
      DirectoryServer directory,
      LmdbBackend backend,
      Consumer<Running> started) {
    int most = ProviderAccess.largestMessage();
    if (settings.provider().messageBytes() > most) {
      throw configuration.problem(
          MESSAGE,
          String.format(
              Locale.ROOT,
              "expected at most %d, a sixteenth of the heap: start with more memory"
                  + " (NYALA_JAVA_OPTS)",
              most >> MIB_SHIFT));
    }
    List<Running> copies = new ArrayList<>();
    for (Dn suffix : suffixes) {
      int serverId = new ContextHandover(operations.directory(), suffix).serverId();
      Running copy = start(suffix, operations, directory, isPromoted(suffix, backend, serverId));
      started.accept(copy);
      copies.add(copy);
    }
    return copies;
  }

  private boolean isPromoted(Dn suffix, LmdbBackend backend, int serverId) {
    Promotion promotion = promotion(suffix, backend);
    if (promotion == null) {
      return false;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} was promoted on {1} and is not copied: remove replication from the configuration when"
            + " it is not to follow {2} again",
        suffix,
        promotion.time(),
        settings.provider().url());
    if (promotion.serverId() != serverId) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} was promoted with serverId {1}, which is {2} now: changes have both numbers",
          suffix,
          Integer.toString(promotion.serverId()),
          Integer.toString(serverId));
    }
    return true;
  }

  private Running start(
      Dn suffix, DirectoryOperations operations, DirectoryServer directory, boolean isPromoted) {
    ReplicationSettings.Queue queue = settings.queue();
    MemoryAccount memory = directory.memory().open(this);
    Replica replica =
        new Replica(
            operations.directory(),
            new ReplicaSettings(
                suffix,
                settings.replicaId(),
                settings.maximumDeletePercent(),
                queue.messages(),
                queue.bytes(),
                queue.waitingBytes()),
            memory);
    ReplicaRunner runner =
        ReplicaRunner.start(
            settings,
            suffix.toString(),
            replica,
            memory,
            InstantSource.system(),
            new SecureRandom(),
            isPromoted);
    operations.tellLag(suffix, runner::toldLagSeconds);
    return new Running(
        runner,
        new ContextSwitch(
            runner,
            settings,
            suffix.toString(),
            new ContextHandover(operations.directory(), suffix),
            this::isHere));
  }

  /** Returns whether an address is one of this server. */
  private boolean isHere(ProviderUrl url) {
    return listeners.stream().anyMatch(each -> each.local() == null && isSame(each, url));
  }
}
