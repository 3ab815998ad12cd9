package org.nyala.loadtest.failover;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.DontUseCopyRequestControl;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.ServerUrl;

/**
 * Clients of a cluster, and what they saw: those of the load tester, which add, change, delete and
 * read, and others that change shared entries upon the value that they have read, by an assertion
 * (RFC 4528).
 *
 * <p>Confined to one thread, but for {@link #lastAcknowledged}.
 */
public final class ClusterLoad implements AutoCloseable {
  private static final int REGISTERS = 4;
  private static final int WRITERS = 3;
  private static final int SWAPPERS = 2;
  private static final int ROAMERS = 2;
  private static final long WRITE_NANOS = 20_000_000;
  private static final long READ_NANOS = 30_000_000;
  private static final long CURRENT_NANOS = 50_000_000;
  private static final int TIME_OUT_MILLIS = 2_000;
  private static final int PATIENT_MILLIS = 60_000;
  private static final double SETTLE_SECONDS = 60;
  private static final int MOST_OPERATIONS = 5_000_000;
  private static final double NANOS = 1e9;

  private final List<Server> servers;

  /** The same before and after the load. */
  private final List<Server> patient;

  private final Tree tree;
  private final Ground ground;
  private final History history;
  private final Course course = new Course(REGISTERS, MOST_OPERATIONS, 0);
  private final List<Client> clients = new ArrayList<>();
  private final List<CurrentReader> readers = new ArrayList<>();
  private final BitSet current = new BitSet();
  private final Map<Integer, Integer> required = new ConcurrentHashMap<>();
  private final boolean isAnyWritable;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("load-", 0).factory());
  private final List<Future<?>> work = new ArrayList<>();
  private volatile long lastAcknowledged;

  /**
   * The outcome of all changes.
   *
   * @param acknowledged the number of changes that were answered as made
   * @param unknown the number of those without an answer that tells
   * @param findings what members have that is not as their answers said: lost, half there,
   *     differing
   * @param violations shared entries whose answers no order explains, and refusals by old entries
   * @param summary the numbers of what was checked, in words
   */
  public record Result(
      long acknowledged,
      long unknown,
      List<String> findings,
      List<String> violations,
      String summary) {}

  private ClusterLoad(List<String> urls, String base, boolean isAnyWritable) {
    this.isAnyWritable = isAnyWritable;
    servers = servers(urls, TIME_OUT_MILLIS);
    patient = servers(urls, PATIENT_MILLIS);
    tree = new Tree(base);
    ground = new Ground(patient, tree, REGISTERS, SETTLE_SECONDS);
    history = new History(urls, REGISTERS);
  }

  private static List<Server> servers(List<String> urls, int timeOutMillis) {
    Login root = new Login(new Account("cn=admin", "admin"));
    List<Server> all = new ArrayList<>();
    for (String url : urls) {
      all.add(
          new Server(all.size(), url, ServerUrl.address(url), root, timeOutMillis, Security.NONE));
    }
    return List.copyOf(all);
  }

  /**
   * Has clients begin.
   *
   * @param urls the servers
   * @param base the name of an entry that is not there, ou=NAME,PARENT
   * @param isAnyWritable true if each server takes changes, so that clients spread over all
   */
  public static ClusterLoad start(List<String> urls, String base, boolean isAnyWritable, long seed)
      throws Exception {
    ClusterLoad load = new ClusterLoad(urls, base, isAnyWritable);
    load.begin(seed);
    return load;
  }

  private void begin(long seed) throws LoadTestException, InterruptedException {
    Server first = servers.get(ground.create(new PrintWriter(Writer.nullWriter())).place());
    for (int register = 0; register < REGISTERS; register++) {
      history.operations().begin(Kind.ADD, first.place(), register, 0, 0);
      history.operations().end(0, Outcome.DONE, 0);
    }
    Random seeds = new Random(seed);
    for (int i = 0; i < WRITERS; i++) {
      Random own = new Random(seeds.nextLong());
      Client client = client(isAnyWritable ? servers.get(i % servers.size()) : first);
      start(
          new org.nyala.loadtest.failover.Writer(
              course, client, servers, tree, REGISTERS, own, WRITE_NANOS));
    }
    for (int i = 0; i < SWAPPERS; i++) {
      start(new Swapper(client(first), new Random(seeds.nextLong())));
    }
    for (int i = 0; i < ROAMERS; i++) {
      start(new Roamer(new Random(seeds.nextLong())));
    }
    for (Server server : servers) {
      start(
          new Reader(course, client(server), REGISTERS, new Random(seeds.nextLong()), READ_NANOS));
      CurrentReader reader = new CurrentReader(server, new Random(seeds.nextLong()));
      readers.add(reader);
      start(reader);
    }
  }

  private Client client(Server first) {
    Client client = new Client(course, tree, first);
    clients.add(client);
    return client;
  }

  private void start(Runnable client) {
    work.add(threads.submit(client));
  }

  /** A client that changes what it has read, if it is still so. Confined to its thread. */
  private final class Swapper implements Runnable {
    private final Client client;
    private final Random random;

    Swapper(Client client, Random random) {
      this.client = client;
      this.random = random;
    }

    @Override
    public void run() {
      long due = course.nanos();
      try (client) {
        while (course.isOpen()) {
          if (!client.isConnected() || !isSwapped(random.nextInt(REGISTERS))) {
            client.move(servers.get((client.server().place() + 1) % servers.size()));
            course.await(course.nanos() + WRITE_NANOS);
          } else if (isAnyWritable && random.nextInt(16) == 0) {
            client.move(servers.get(random.nextInt(servers.size())));
          }
          due = Math.max(due + WRITE_NANOS, course.nanos() - WRITE_NANOS);
          course.await(due);
        }
      }
    }

    /** Returns false if the server does not take changes. */
    private boolean isSwapped(int register) {
      if (client.read(register) != Outcome.DONE) {
        return false;
      }
      int before = client.found();
      if (before < 0) {
        return false;
      }
      int number = course.newNumber();
      required.put(number, before);
      Outcome outcome =
          client.change(Kind.WRITE, register, number, asserting(before, register, number));
      if (outcome == Outcome.DONE) {
        lastAcknowledged = course.nanos();
      }
      return outcome == Outcome.DONE || client.code() == ASSERTION_FAILED;
    }
  }

  /**
   * A client that adds, changes and deletes entries of its own, each step at another server: all
   * have to know the step before. Confined to its thread.
   */
  private final class Roamer implements Runnable {
    private final Random random;
    private final List<Client> connections = new ArrayList<>();
    private int place;

    Roamer(Random random) {
      this.random = random;
      servers.forEach(server -> connections.add(client(server)));
    }

    @Override
    public void run() {
      long due = course.nanos();
      while (course.isOpen()) {
        int entry = course.newEntry();
        int last = step(Kind.ADD, entry, 0);
        for (int i = random.nextInt(4); last > 0 && i > 0; i--) {
          due = await(due);
          last = step(Kind.WRITE, entry, last);
        }
        if (last > 0 && random.nextBoolean()) {
          due = await(due);
          step(Kind.DELETE, entry, last);
        }
        due = await(due);
      }
      connections.forEach(Client::close);
    }

    private long await(long due) {
      long next = Math.max(due + WRITE_NANOS, course.nanos() - WRITE_NANOS);
      course.await(next);
      return next;
    }

    /**
     * Does a step at any server that takes it; returns its number, 0 if it was not acknowledged.
     */
    private int step(Kind kind, int entry, int before) {
      place = random.nextInt(servers.size());
      for (int i = 0; i < servers.size() && course.isOpen(); i++) {
        Client client = connections.get((place + i) % servers.size());
        if (client.isConnected()) {
          int number = course.newNumber();
          byte[] request =
              switch (kind) {
                case ADD -> tree.add(entry, number);
                case WRITE -> tree.exchange(entry, before, number);
                default -> tree.delete(entry);
              };
          Outcome outcome = client.change(kind, entry, number, request);
          if (outcome == Outcome.DONE) {
            lastAcknowledged = course.nanos();
            return number;
          }
          if (outcome == Outcome.UNKNOWN || !ELSEWHERE.contains(client.code())) {
            return 0;
          }
        }
      }
      return 0;
    }
  }

  /**
   * A client that reads shared entries of one server by searches which copies must not answer (RFC
   * 6171). Confined to its thread.
   */
  private final class CurrentReader implements Runnable {
    private final Operations record = new Operations();
    private final Server server;
    private final Random random;

    CurrentReader(Server server, Random random) {
      this.server = server;
      this.random = random;
    }

    @Override
    public void run() {
      while (course.isOpen()) {
        try (Line line = server.open()) {
          long due = course.nanos();
          while (course.isOpen()) {
            read(line, random.nextInt(REGISTERS));
            due = Math.max(due + CURRENT_NANOS, course.nanos());
            course.await(due);
          }
        } catch (IOException _) {
          course.await(course.nanos() + CURRENT_NANOS);
        }
      }
    }

    private void read(Line line, int register) throws IOException {
      int[] number = {Operations.ABSENT};
      record.begin(Kind.READ, server.place(), register, Operations.ABSENT, course.nanos());
      Outcome outcome = Outcome.UNKNOWN;
      int code = 0;
      try {
        byte[] request = with(tree.read(register), new DontUseCopyRequestControl());
        code = line.ask(request, (_, found) -> number[0] = Tree.state(found).number()).code();
        outcome = code == 0 || code == NO_SUCH_OBJECT ? Outcome.DONE : Outcome.REFUSED;
        record.found(number[0]);
      } finally {
        record.end(course.nanos(), outcome, code);
      }
    }
  }

  private static final List<Integer> ELSEWHERE = List.of(10, 51, 53);
  private static final int NO_SUCH_OBJECT = 32;
  private static final int ASSERTION_FAILED = 122;

  private byte[] asserting(int before, int register, int number) {
    try {
      Control control = new AssertionRequestControl("(description=" + before + ")");
      return with(tree.replace(register, number), control);
    } catch (LDAPException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] with(byte[] request, Control control) {
    try {
      List<ASN1Element> parts =
          new ArrayList<>(List.of(ASN1Sequence.decodeAsSequence(request).elements()));
      parts.add(new ASN1Sequence((byte) 0xa0, control.encode()));
      return new ASN1Sequence(parts).encode();
    } catch (ASN1Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the time since the beginning. */
  public long nanos() {
    return course.nanos();
  }

  /** Returns the time of the last acknowledged change upon a value that was read. */
  public long lastAcknowledged() {
    return lastAcknowledged;
  }

  /** Ends the load. */
  public void stop() throws InterruptedException {
    course.endAt(course.nanos());
    threads.shutdown();
    try {
      for (Future<?> client : work) {
        client.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a client has failed", e);
    }
    history.settled(course.nanos() / NANOS, -1);
    clients.forEach(client -> history.operations().take(client.record()));
    int size = history.operations().size();
    readers.forEach(reader -> history.operations().take(reader.record));
    current.set(size, history.operations().size());
  }

  /** Returns the number of changes that were answered as made between two times. */
  public long acknowledged(long fromNanos, long toNanos) {
    Operations all = history.operations();
    return IntStream.range(0, all.size())
        .filter(each -> all.isAcknowledged(each))
        .filter(each -> all.end(each) > fromNanos && all.end(each) <= toNanos)
        .count();
  }

  /** Returns the time from a moment to the first change that began after it and was answered. */
  public long millisToWrite(long afterNanos) {
    return Math.round(new Timeline(history).firstWrite(afterNanos).seconds() * 1000);
  }

  /** Looks for all changes in what the members have; the load has ended. */
  public Result check() {
    int bound = history.entries();
    for (Server server : patient) {
      Contents found = ground.scan(server, bound);
      if (found == null) {
        throw new AssertionError(server.url() + " does not answer");
      }
      history.contents(server.place(), found);
    }
    history.index();
    FinalCheck.Result result = FinalCheck.of(history);
    List<String> violations = new ArrayList<>();
    Registers.Writing writing = new Registers.Writing(history.operations());
    int linearizable = 0;
    for (int register = 0; register < REGISTERS; register++) {
      List<String> found = new ArrayList<>(violation(register, current::get));
      if (!isAnyWritable) {
        // Members show a change one after the other: reads of the leader are in order by
        // themselves.
        found.addAll(violation(register, writing::isAt));
      }
      linearizable += found.isEmpty() ? 1 : 0;
      violations.addAll(found);
    }
    Refusals.Result refusals = Refusals.of(history, required);
    refusals.wrong().forEach(at -> violations.add("by old entries: " + operation(at)));
    Operations all = history.operations();
    return new Result(
        result.acknowledged(),
        result.unknown(),
        result.findings().stream().map(this::inWords).toList(),
        violations,
        "shared entries "
            + REGISTERS
            + ", linearizable "
            + linearizable
            + "; current reads "
            + current.stream().filter(at -> all.outcome(at) == Outcome.DONE).count()
            + " of "
            + current.cardinality()
            + "; refusals and own reads checked "
            + refusals.checked()
            + ", wrong "
            + refusals.wrong().size()
            + "; codes of changes "
            + Refusals.codes(all));
  }

  private String inWords(Finding finding) {
    int at = finding.operation();
    return finding + (at < 0 ? "" : ": " + operation(at));
  }

  private String operation(int at) {
    Operations all = history.operations();
    return all.kind(at)
        + " of "
        + all.number(at)
        + (required.containsKey(all.number(at)) ? " upon " + required.get(all.number(at)) : "")
        + (current.get(at) ? ", current," : "")
        + " at server "
        + all.server(at)
        + " from "
        + all.start(at)
        + " to "
        + all.left(at)
        + ' '
        + all.outcome(at)
        + ' '
        + all.code(at);
  }

  private String near(RegisterHistory decided, int place) {
    StringBuilder text = new StringBuilder("\n" + operation(place) + "; around it:");
    long start = history.operations().start(place);
    Arrays.stream(decided.places())
        .filter(each -> Math.abs(history.operations().start(each) - start) < NANOS)
        .forEach(each -> text.append('\n').append(operation(each)));
    return text.toString();
  }

  /** Returns why no order of changes and some reads explains their answers; nothing if one does. */
  private List<String> violation(int register, IntPredicate isRead) {
    RegisterHistory decided = history(register, isRead).decided();
    Linearization.Result found = Linearization.check(decided);
    if (found.verdict() == Linearization.Verdict.LINEARIZABLE) {
      return List.of();
    }
    int at = found.operation();
    return List.of(
        "entry "
            + register
            + " "
            + found.verdict()
            + (at < 0 ? "" : near(decided, decided.place(at))));
  }

  /**
   * Returns the changes that were not refused, and some of the reads.
   *
   * @param isRead chooses them: those that no copy answers, or those of the server that takes
   *     changes, if only one takes them
   */
  private RegisterHistory history(int register, IntPredicate isRead) {
    Operations all = history.operations();
    int[] places =
        Arrays.stream(history.of(register))
            .filter(
                each ->
                    all.kind(each) == Kind.READ
                        ? all.outcome(each) == Outcome.DONE && isRead.test(each)
                        : all.isChange(each) && all.outcome(each) != Outcome.REFUSED)
            .toArray();
    long[] starts = Arrays.stream(places).mapToLong(all::start).toArray();
    long[] ends = Arrays.stream(places).mapToLong(all::end).toArray();
    int[] values = Arrays.stream(places).map(all::effect).toArray();
    boolean[] isWrite = new boolean[places.length];
    int[] upon = new int[places.length];
    for (int i = 0; i < places.length; i++) {
      isWrite[i] = all.isChange(places[i]);
      upon[i] =
          isWrite[i]
              ? required.getOrDefault(all.number(places[i]), RegisterHistory.ANY)
              : RegisterHistory.ANY;
    }
    return new RegisterHistory(Operations.ABSENT, starts, ends, values, isWrite, upon, places);
  }

  /** Writes the history to a file, for {@code nyala-loadtest failover check}. */
  public void write(java.nio.file.Path file) throws IOException {
    history.write(file);
  }

  @Override
  public void close() {
    course.endAt(course.nanos());
    threads.shutdownNow();
  }
}
