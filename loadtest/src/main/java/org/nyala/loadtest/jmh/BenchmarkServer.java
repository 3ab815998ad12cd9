package org.nyala.loadtest.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.nyala.accounts.PolicedAccounts;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.People;
import org.nyala.netty.NettyLdapServer;
import org.nyala.netty.WireSettings;

/**
 * A server of this process with people in a temporary LMDB store, for benchmarks: sockets, store
 * and strategies are the real ones. Every client may read; {@link Account#ROOT} may write.
 *
 * <p>Thread-safe.
 */
public final class BenchmarkServer {
  private static final long MAP_BYTES = 4L << 30;

  private final Path folder;
  private final LmdbBackend backend;
  private final DirectoryOperations operations;
  private final DirectoryServer directory;
  private final NettyLdapServer wire;

  private BenchmarkServer(
      Path folder,
      LmdbBackend backend,
      Schema schema,
      DispatchStrategy strategy,
      WireSettings settings)
      throws IOException, InvalidDnException {
    LongSupplier clock = System::nanoTime;
    this.folder = folder;
    this.backend = backend;
    ServerLimits limits = patient();
    UpdateSettings updates =
        UpdateSettings.of(1, Thread.ofPlatform().daemon().name("writer-", 0).factory());
    operations =
        new DirectoryOperations(
            schema,
            List.of(backend),
            new AccessPolicy(true),
            limits,
            RootAccounts.of(root(schema)),
            clock,
            updates,
            List.of(),
            false,
            RightsService.NONE,
            new PolicedAccounts(updates, clock));
    directory = new DirectoryServer(operations, strategy, limits, clock);
    wire = NettyLdapServer.start(directory, settings, clock);
  }

  /**
   * Fills a store and starts a server on a free port.
   *
   * @param strategy runs the operations; closed with the server
   * @param people their number, at least 1
   * @param eventLoops threads that serve connections; 0 is automatic
   */
  public static BenchmarkServer start(DispatchStrategy strategy, int people, int eventLoops)
      throws IOException, InvalidDnException {
    return start(strategy, people, settings(eventLoops));
  }

  /**
   * Fills a store and starts a server likewise.
   *
   * @param wire its listeners
   */
  public static BenchmarkServer start(DispatchStrategy strategy, int people, WireSettings wire)
      throws IOException, InvalidDnException {
    Path folder = Files.createTempDirectory("nyala-benchmark");
    Schema schema = SchemaLoader.standard();
    LmdbSettings settings = LmdbSettings.DEFAULT.withMapSizeBytes(MAP_BYTES);
    LmdbBackend.create(
        folder, schema, List.of(People.DEFAULT_BASE), DefaultIndexes.of(schema), settings);
    LmdbBackend backend = LmdbBackend.open(folder, schema, settings);
    fill(backend, schema, people);
    return new BenchmarkServer(folder, backend, schema, strategy, wire);
  }

  /**
   * Limits of a server that answers however long its turns take: how busy the machine is may change
   * a benchmark's figures, but not its results.
   */
  private static ServerLimits patient() {
    ServerLimits usual = ServerLimits.DEFAULT;
    ServerLimits.SessionLimits sessions = usual.sessions();
    return new ServerLimits(
        usual.requests(),
        usual.searches(),
        new ServerLimits.SessionLimits(
            sessions.inFlightPerConnection(),
            sessions.deferredPerConnection(),
            0,
            0,
            sessions.hashQueue()),
        usual.updates(),
        usual.sorting(),
        usual.standing(),
        usual.memory());
  }

  private static RootAccount root(Schema schema) throws InvalidDnException {
    return new RootAccount(
        DnParser.parse(schema, Account.ROOT.dn()),
        PasswordHash.parse(Account.ROOT.password().getBytes(UTF_8)));
  }

  private static WireSettings settings(int eventLoops) {
    WireSettings defaults = WireSettings.on("127.0.0.1", 0);
    return defaults.with(
        draft ->
            draft.loops =
                new WireSettings.Loops(eventLoops, defaults.loops().connectionsPerLoop()));
  }

  private static void fill(LmdbBackend backend, Schema schema, int people)
      throws InvalidDnException {
    try (WriteTransaction writer = backend.beginWrite()) {
      add(writer, schema, People.DEFAULT_BASE, "objectClass", "domain", "dc", "example");
      add(
          writer,
          schema,
          People.DEFAULT_PARENT,
          "objectClass",
          "organizationalUnit",
          "ou",
          "People");
      for (int i = 0; i < people; i++) {
        String uid = "user." + i;
        add(
            writer,
            schema,
            "uid=" + uid + "," + People.DEFAULT_PARENT,
            "objectClass",
            "inetOrgPerson",
            "uid",
            uid,
            "cn",
            "Person " + i,
            "sn",
            "Person",
            "mail",
            uid + "@example.com",
            "userPassword",
            "password." + i,
            "description",
            "A person whose description makes the entry about as long as usual. ".repeat(5));
      }
      writer.commit();
    }
  }

  private static void add(
      WriteTransaction writer, Schema schema, String dn, String... namesAndValues)
      throws InvalidDnException {
    Entry entry = new Entry(DnParser.parse(schema, dn));
    for (int i = 0; i < namesAndValues.length; i += 2) {
      AttributeDescription name = AttributeDescription.parse(schema, namesAndValues[i]);
      entry.add(Objects.requireNonNull(name), namesAndValues[i + 1].getBytes(UTF_8));
    }
    writer.apply(new ResolvedChange.Add(entry));
  }

  /** The address on which the server listens. */
  public InetSocketAddress address() {
    return wire.addresses().getFirst();
  }

  /** All addresses on which it listens, in the order of its listeners. */
  public List<InetSocketAddress> addresses() {
    return wire.addresses();
  }

  /** Stops the server and removes the store. */
  public void stop() throws IOException {
    wire.close();
    operations.close();
    directory.close();
    backend.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
