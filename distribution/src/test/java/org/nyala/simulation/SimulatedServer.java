package org.nyala.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.accounts.PolicedAccounts;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.contention.Contention;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.operation.sync.ContentSynchronization;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaSettings;
import org.nyala.core.rights.RightsService;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.session.Session;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.extension.FixedExtension;
import org.nyala.replica.ReplicationSettings;
import org.nyala.replica.SteppedReplica;

/**
 * A server: a directory over a store in memory, its writer, its operations, and the copy that it
 * keeps of another server, if it does. It does nothing by itself.
 *
 * <p>Confined to one thread.
 */
final class SimulatedServer implements DispatchStrategy, ChangeListener {
  private static final RootAccount ROOT =
      new RootAccount(OperationFixture.ROOT.dn(), PasswordHash.parse("rootpw".getBytes(UTF_8)));

  private final String name;
  private final int serverId;
  private final @Nullable SimulatedServer provider;
  private final SimulatedTime time;
  private final Random random;
  private final Consumer<CommittedChange> changes;
  private final InMemoryBackend store;
  private final List<SimulatedLine> lines = new ArrayList<>();
  private final List<Task> tasks = new ArrayList<>();
  private ConsumedContexts consumed = new ConsumedContexts();
  private DirectoryOperations operations;
  private DirectoryServer server;
  private @Nullable SteppedReplica copy;
  private int lastNumber;
  private long checkedSnapshot = -1;
  private @Nullable ReplicaPhase checkedPhase;

  /** The last backup; null if there is none. */
  InMemoryBackend.@Nullable Backup backup;

  /** The commits that are on the disk in any case; null if none was made lately. */
  InMemoryBackend.@Nullable Backup synced;

  /** True while its copy cannot connect. */
  boolean isCutOff;

  /** True while the store takes no changes. */
  boolean isFull;

  /** The time by which its clock is ahead. */
  Duration ahead = Duration.ZERO;

  /** True since a refresh has begun, until one has ended: the contents are those of no moment. */
  boolean isMixed;

  /** The changes that the last refresh may have brought beyond those of its vector. */
  CsnVector brought = CsnVector.EMPTY;

  SimulatedServer(
      String name,
      int serverId,
      @Nullable SimulatedServer provider,
      SimulatedTime time,
      Random random,
      Consumer<CommittedChange> changes) {
    this.name = name;
    this.serverId = serverId;
    this.provider = provider;
    this.time = time;
    this.random = random;
    this.changes = changes;
    this.store =
        new InMemoryBackend(
            OperationFixture.SCHEMA, List.of(Simulation.SUFFIX), List.of(), random.nextBoolean());
    store.beforeCommit(
        () -> {
          if (isFull) {
            throw new StoreUnavailableException("the store is full", null);
          }
        });
    start();
  }

  /** Starts, as after a crash: what was not committed is lost. */
  void start() {
    for (SimulatedLine line : lines) {
      line.serverGone();
    }
    lines.clear();
    tasks.clear();
    consumed = new ConsumedContexts();
    UpdateSettings updates = settings();
    operations =
        new DirectoryOperations(
            OperationFixture.SCHEMA,
            List.of(store),
            new AccessPolicy(false),
            ServerLimits.DEFAULT,
            RootAccounts.of(ROOT),
            time::nanos,
            updates,
            List.of(FixedExtension.listening(this), ContentSynchronization.WITHOUT_LOGS),
            false,
            RightsService.NONE,
            new PolicedAccounts(updates, time::nanos));
    server = new DirectoryServer(operations, this, ServerLimits.DEFAULT, time::nanos);
    consumed.takeNotes(store);
    if (provider != null) {
      copy = copy(provider);
      if (isPromoted()) {
        copy.rest();
      } else {
        consumed.add(Simulation.SUFFIX, List.of(provider.url()));
      }
    }
  }

  private boolean isPromoted() {
    Promotion promotion =
        new ContextHandover(operations.directory(), Simulation.SUFFIX).promotion();
    return promotion != null && promotion.isInForce();
  }

  /** Promotes a copy by force; returns false if the store takes nothing. */
  boolean promote() {
    copy.rest();
    try {
      Promotion _ =
          new ContextHandover(operations.directory(), Simulation.SUFFIX)
              .promote(null, false, provider.url());
      return true;
    } catch (LdapOperationException _) {
      start();
      return false;
    }
  }

  /** Lets clients change what this server has ended changes of, which no server does. */
  void ignoreEpochs() {
    consumed.restore(Simulation.SUFFIX);
  }

  ContextEpochs epochs() {
    return new ContextHandover(operations.directory(), Simulation.SUFFIX).epochs();
  }

  /** Returns its number in the changes that it makes. */
  int serverId() {
    return serverId;
  }

  private UpdateSettings settings() {
    return new UpdateSettings(
        false,
        serverId,
        () -> time.clock(ahead).instant(),
        () -> new UUID(random.nextLong(), random.nextLong()),
        _ -> null,
        PasswordScheme.SSHA512,
        HashBounds.DEFAULT,
        false,
        false,
        RememberedPasswords.Settings.DEFAULT,
        new Random(random.nextLong()),
        CommitPacer.Source.UNPACED,
        Contention.UNMEASURED,
        consumed);
  }

  private SteppedReplica copy(SimulatedServer from) {
    Replica replica =
        new Replica(
            operations.directory(),
            new ReplicaSettings(
                Simulation.SUFFIX, serverId, 20, 1 + random.nextInt(20), 1 << 20, 1 << 20),
            MemoryBudget.ofHeap(time::nanos).open("replication"));
    ReplicationSettings replication =
        SteppedReplica.settings(Simulation.SUFFIX.toString(), from.url(), serverId);
    return new SteppedReplica(
        replica,
        replication,
        Simulation.SUFFIX.toString(),
        MemoryBudget.ofHeap(time::nanos).open("replication"),
        () -> time.clock(ahead).instant(),
        time::nanos,
        random,
        disconnected -> {
          if (isCutOff) {
            throw new LDAPException(ResultCode.CONNECT_ERROR, "there is no way");
          }
          return new CopyWire(from, disconnected);
        });
  }

  String url() {
    return "ldap://" + name;
  }

  /** Opens the server's end of a connection. */
  Session open(SimulatedLine line) {
    lines.add(line);
    return server.openSession(line);
  }

  /** Opens a connection that has bound as root. */
  SimulatedLine connect(Consumer<String> disconnected) throws LDAPException {
    SimulatedLine line =
        new SimulatedLine(this, ++lastNumber, 4 + random.nextInt(40), disconnected);
    LdapResult bound =
        (LdapResult)
            call(
                    line,
                    new Request.Bind(
                        line.nextId(),
                        3,
                        ROOT.dn().toString(),
                        null,
                        "rootpw".getBytes(UTF_8),
                        List.of()))
                .getLast();
    if (bound.code() != org.nyala.core.message.ResultCode.SUCCESS) {
      throw new AssertionError("bind: " + bound);
    }
    return line;
  }

  /** Sends a request over a connection, and runs the server until it has answered. */
  private List<Object> call(SimulatedLine line, Request request) {
    List<Object> answers = new ArrayList<>();
    line.send(request, answers::add);
    while (answers.isEmpty() || !(answers.getLast() instanceof LdapResult)) {
      if (line.canDeliverUp()) {
        line.deliverUp();
      } else if (line.canRunLoop()) {
        line.runLoop();
      } else if (line.canDeliverDown()) {
        line.deliverDown();
      } else if (!runTaskOf(line) && !operations.writeInTurn()) {
        throw new AssertionError("no answer to " + request);
      }
    }
    return answers;
  }

  private boolean runTaskOf(SimulatedLine line) {
    for (int i = 0; i < tasks.size(); i++) {
      if (tasks.get(i).connectionNumber() == line.number()) {
        runTask(i);
        return true;
      }
    }
    return false;
  }

  int tasks() {
    return tasks.size();
  }

  void runTask(int index) {
    Task task = tasks.remove(index);
    int entries = 1 + random.nextInt(20);
    if (task.run(new SliceBudget(entries, Long.MAX_VALUE / 4)) == Task.Outcome.YIELDED) {
      resume(task);
    }
  }

  /** Writes what waits for the writer. */
  void write() {
    operations.writeInTurn();
  }

  int queued() {
    return operations.queuedUpdates();
  }

  List<SimulatedLine> lines() {
    lines.removeIf(SimulatedLine::isOver);
    return lines;
  }

  InMemoryBackend store() {
    return store;
  }

  @Nullable SteppedReplica copy() {
    return copy;
  }

  @Nullable SimulatedServer provider() {
    return provider;
  }

  boolean isChangedHere() {
    return !consumed.holds(Simulation.SUFFIX);
  }

  /** Returns whether its store or what it says of it is another since the last call. */
  boolean isToBeChecked() {
    long snapshot;
    try (ReadTransaction read = store.beginRead()) {
      snapshot = read.snapshot();
    }
    ReplicaPhase phase = copy == null ? null : copy.phase();
    boolean isNew = snapshot != checkedSnapshot || phase != checkedPhase;
    checkedSnapshot = snapshot;
    checkedPhase = phase;
    return isNew;
  }

  long internalErrors() {
    return server.metrics().internalErrors().sum();
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public void committed(List<CommittedChange> committed) {
    if (isChangedHere()) {
      committed.forEach(changes);
    }
  }

  @Override
  public Images images() {
    return Images.LATEST;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public DecodePlacement decodePlacement() {
    return DecodePlacement.EVENT_LOOP;
  }

  @Override
  public boolean dispatch(Task task) {
    resume(task);
    return true;
  }

  @Override
  public void resume(Task task) {
    // In an order that does not depend on that of sets.
    int at = tasks.size();
    while (at > 0 && tasks.get(at - 1).connectionNumber() > task.connectionNumber()) {
      at--;
    }
    tasks.add(at, task);
  }

  @Override
  public int inFlight() {
    return tasks.size();
  }

  @Override
  public void close() {
    // Nothing runs by itself.
  }

  /** The connection of the copy of one server to another one. */
  private static final class CopyWire implements SteppedReplica.Wire {
    private final SimulatedServer to;
    private final SimulatedLine line;

    CopyWire(SimulatedServer to, Consumer<String> disconnected) throws LDAPException {
      this.to = to;
      this.line = to.connect(disconnected);
    }

    private Request.Search search(
        String base, Scope scope, List<String> attributes, List<RequestControl> controls) {
      return new Request.Search(
          line.nextId(),
          base,
          scope,
          DerefAliases.NEVER,
          0,
          0,
          false,
          OperationFixture.ALL,
          attributes,
          controls);
    }

    private static void requireSuccess(LdapResult result) throws LDAPException {
      if (result.code() != org.nyala.core.message.ResultCode.SUCCESS) {
        throw new LDAPException(
            ResultCode.valueOf(result.code().code()), String.valueOf(result.message()));
      }
    }

    @Override
    public List<String> contextCsns() throws LDAPException {
      List<Object> answers =
          to.call(
              line,
              search(Simulation.SUFFIX.toString(), Scope.BASE, List.of("contextCSN"), List.of()));
      LdapResult result = (LdapResult) answers.getLast();
      requireSuccess(result);
      SearchResultEntry top = (SearchResultEntry) answers.getFirst();
      String[] values = top.getAttributeValues("contextCSN");
      return values == null ? List.of() : List.of(values);
    }

    private Request.Search content(String cookie, ContentSyncRequestMode mode) {
      byte[] control =
          new ContentSyncRequestControl(true, mode, new ASN1OctetString(cookie), false)
              .getValue()
              .getValue();
      return search(
          Simulation.SUFFIX.toString(),
          Scope.SUBTREE,
          List.of("*", "+"),
          List.of(
              OperationFixture.manageDsaIt(),
              new RequestControl(ControlType.SYNC_REQUEST.oid(), true, control)));
    }

    @Override
    public @Nullable String question(String cookie) throws LDAPException {
      LdapResult result =
          (LdapResult)
              to.call(line, content(cookie, ContentSyncRequestMode.REFRESH_ONLY)).getLast();
      requireSuccess(result);
      return cookie(result);
    }

    private static @Nullable String cookie(LdapResult result) {
      try {
        ContentSyncDoneControl done = ContentSyncDoneControl.get(searchResult(result));
        ASN1OctetString answer = done == null ? null : done.getCookie();
        return answer == null ? null : answer.stringValue();
      } catch (LDAPException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void question(String cookie, Consumer<@Nullable String> answered) {
      line.send(
          content(cookie, ContentSyncRequestMode.REFRESH_ONLY),
          message -> {
            if (message instanceof LdapResult result) {
              answered.accept(cookie(result));
            }
          });
    }

    @Override
    public void synchronize(
        String cookie, AsyncSearchResultListener entries, IntermediateResponseListener others) {
      line.send(
          content(cookie, ContentSyncRequestMode.REFRESH_AND_PERSIST),
          message -> {
            switch (message) {
              case SearchResultEntry entry -> entries.searchEntryReturned(entry);
              case IntermediateResponse other -> others.intermediateResponseReturned(other);
              case LdapResult result -> entries.searchResultReceived(null, searchResult(result));
              default -> throw new AssertionError(message);
            }
          });
    }

    private static SearchResult searchResult(LdapResult result) {
      return new SearchResult(
          0,
          ResultCode.valueOf(result.code().code()),
          result.message(),
          result.matchedDn(),
          new String[0],
          0,
          0,
          SimulatedLine.controls(result.controls()));
    }

    @Override
    public void ask(Runnable answered) {
      line.send(search("", Scope.BASE, List.of("1.1"), List.of()), _ -> answered.run());
    }

    @Override
    public void close() {
      line.leave();
    }
  }
}
