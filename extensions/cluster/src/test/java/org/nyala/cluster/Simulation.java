package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/**
 * A cluster in one thread, from a seed: clients write, members crash and start, the network loses,
 * delays and parts; then everything heals, and the members are compared.
 */
final class Simulation implements SimulatedLog.Network {
  private static final long FAULTY_MILLIS = 2500;
  private static final long LAST_WRITE_MILLIS = 5000;
  private static final long HEALED_MILLIS = 8000;

  /** The result of a run. Immutable. */
  record Result(List<String> problems, long done, int crashes, int entries) {}

  private final Random random;
  private final VirtualTime time;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final SimulatedHistory history = new SimulatedHistory();
  private final List<String> problems = new ArrayList<>();
  private final Map<Long, LogMark> marks = new HashMap<>();
  private final boolean[][] cut;
  private double loss;
  private int slowMillis;
  private int crashes;
  private boolean isHealed;

  Simulation(long seed, SimulatedFault fault, Supplier<SimulatedNode.Storage> storage) {
    random = new Random(seed);
    time = new VirtualTime(random);
    int members = random.nextInt(4) == 0 ? 5 : 3;
    cut = new boolean[members][members];
    loss = random.nextInt(3) == 0 ? 0.05 : 0;
    slowMillis = 2 + random.nextInt(20);
    int hooks = 20 + random.nextInt(200);
    for (int i = 0; i < members; i++) {
      int number = i;
      nodes.add(
          new SimulatedNode(
              i,
              SimulatedStorage.SCHEMA,
              time,
              this,
              storage.get(),
              place -> crashesAt(number, place, hooks),
              random.nextInt(4) == 0 ? random.nextLong(40 * 86_400_000L) : 0,
              fault));
    }
  }

  private boolean crashesAt(int number, int place, int hooks) {
    if (place == SimulatedNode.AFTER_COMMIT) {
      check(nodes.get(number));
    }
    boolean isOne = !isHealed && random.nextInt(hooks) == 0;
    if (isOne) {
      restartLater(number);
    }
    return isOne;
  }

  /** Compares the chain of a store to those of others at the same place. */
  private void check(SimulatedNode node) {
    try (ReadTransaction read = node.inner().beginRead()) {
      LogMark mark = read.logMark();
      if (mark != null) {
        LogMark known = marks.putIfAbsent(mark.index(), mark);
        if (known != null && !known.equals(mark)) {
          problems.add("the chains differ at " + mark.index());
        }
      }
    }
  }

  private void restartLater(int number) {
    crashes++;
    SimulatedNode node = nodes.get(number);
    int start = node.starts();
    time.after(1 + random.nextInt(800), () -> restart(node, start));
  }

  private void restart(SimulatedNode node, int start) {
    if (node.starts() == start && !node.isAlive()) {
      node.bury();
      node.start();
    }
  }

  @Override
  public int members() {
    return nodes.size();
  }

  @Override
  public boolean isHealed() {
    return isHealed;
  }

  @Override
  public void send(int from, int to, Consumer<SimulatedLog> message) {
    if (cut[from][to] || random.nextDouble() < loss) {
      return;
    }
    long delay = random.nextInt(100) == 0 ? random.nextInt(400) : random.nextInt(slowMillis);
    int start = nodes.get(to).starts();
    time.after(
        delay,
        () -> {
          SimulatedLog log = nodes.get(to).log();
          if (log != null && nodes.get(to).starts() == start) {
            message.accept(log);
          }
        });
  }

  Result run() {
    nodes.forEach(SimulatedNode::start);
    faultLater();
    clientLater();
    time.run(FAULTY_MILLIS);
    heal();
    long before = history.done();
    time.run(HEALED_MILLIS);
    if (history.done() == before) {
      problems.add("nothing was done after everything was healed");
    }
    compare();
    nodes.forEach(SimulatedNode::close);
    return new Result(problems, history.done(), crashes, marks.size());
  }

  private void faultLater() {
    time.after(
        10 + random.nextInt(500),
        () -> {
          if (!isHealed) {
            fault();
            faultLater();
          }
        });
  }

  private void fault() {
    int one = random.nextInt(nodes.size());
    int other = random.nextInt(nodes.size());
    switch (random.nextInt(8)) {
      case 0 -> {
        if (nodes.get(one).isAlive()) {
          nodes.get(one).kill();
          restartLater(one);
        }
      }
      case 1 -> cut[one][other] = true;
      case 2 -> part(one);
      case 3 -> join();
      case 4 -> killLeader();
      case 5, 6 -> isolateLeader();
      default -> loss = random.nextInt(3) == 0 ? 0.3 : 0;
    }
  }

  private void killLeader() {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).isLeading()) {
        nodes.get(i).kill();
        restartLater(i);
        return;
      }
    }
  }

  /** Cuts the leader off, for about as long as an election and some batches take. */
  private void isolateLeader() {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).isLeading()) {
        Arrays.fill(cut[i], true);
        for (boolean[] row : cut) {
          row[i] = true;
        }
        time.after(200 + random.nextInt(900), this::join);
        return;
      }
    }
  }

  /** Cuts a member off: what it sends, what it hears, or both. */
  private void part(int one) {
    int ways = 1 + random.nextInt(3);
    for (int i = 0; i < nodes.size(); i++) {
      cut[one][i] |= (ways & 1) != 0;
      cut[i][one] |= (ways & 2) != 0;
    }
  }

  private void join() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
  }

  private void heal() {
    isHealed = true;
    join();
    loss = 0;
    for (SimulatedNode node : nodes) {
      if (!node.isAlive()) {
        restart(node, node.starts());
      }
    }
  }

  private void clientLater() {
    time.after(
        random.nextInt(isHealed ? 250 : 60),
        () -> {
          write();
          if (time.millis() < LAST_WRITE_MILLIS) {
            clientLater();
          }
        });
  }

  private void write() {
    SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
    for (SimulatedNode each : nodes) {
      if (each.isLeading() && random.nextInt(8) > 0) {
        node = each;
      }
    }
    SimulatedNode to = node;
    int start = to.starts();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      SimulatedHistory.Sent update =
          history.new Sent(random, () -> to.isAlive() && to.starts() == start);
      if (!to.submit(update)) {
        update.known = SimulatedHistory.Known.NOT_DONE;
      }
    }
  }

  private void compare() {
    String first = null;
    for (SimulatedNode node : nodes) {
      String stopped = node.failure();
      if (stopped != null) {
        problems.add("a member has stopped: " + stopped);
        continue;
      }
      try (ReadTransaction read = node.inner().beginRead()) {
        String digest = digest(read);
        if (first == null) {
          first = digest;
          problems.addAll(history.problems(lists(read)));
        } else if (!first.equals(digest)) {
          problems.add(difference(first, digest));
        }
      }
    }
  }

  private static String difference(String one, String other) {
    List<String> lines = one.lines().toList();
    List<String> others = other.lines().toList();
    int at = 0;
    while (at < lines.size() && at < others.size() && lines.get(at).equals(others.get(at))) {
      at++;
    }
    return "members differ:\n"
        + (at < lines.size() ? lines.get(at) : "the end")
        + "\nand\n"
        + (at < others.size() ? others.get(at) : "the end");
  }

  private static List<List<String>> lists(ReadTransaction read) {
    return SimulatedStorage.LISTS.stream()
        .map(name -> Values.of(read, name, "description"))
        .toList();
  }

  /** Returns all that must be equal in all members. */
  private String digest(ReadTransaction read) {
    StringBuilder text = new StringBuilder();
    EntryView view = new EntryView();
    SearchSpec all =
        new SearchSpec(
            ReadTransaction.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    try (EntryCursor cursor = read.search(all, 0)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        byte[] record = new byte[view.recordLength()];
        view.buffer().get(view.recordStart(), record);
        text.append(view.id())
            .append(' ')
            .append(new String(view.dn(), UTF_8))
            .append(' ')
            .append(HexFormat.of().formatHex(record))
            .append('\n');
      }
    }
    for (int i = 1; i <= read.attributes().size(); i++) {
      text.append(read.attributes().description(i)).append(' ');
    }
    long top = read.find(SimulatedStorage.TOP);
    text.append('\n').append(read.contextCsns(top));
    text.append('\n').append(read.history(SimulatedStorage.TOP));
    text.append('\n').append(read.logMark()).append('\n');
    journal(read, text);
    return text.toString();
  }

  private void journal(ReadTransaction read, StringBuilder text) {
    try (ChangeJournal journal = read.journal(SimulatedStorage.TOP)) {
      if (journal == null) {
        problems.add("there is no journal");
        return;
      }
      @Nullable Csn before = null;
      long sequence = 0;
      for (JournalEntry each = journal.seek(0); each != null; each = journal.seek(sequence + 1)) {
        sequence = each.sequence();
        text.append(each).append('\n');
        if (before != null && !each.csn().isAfter(before)) {
          problems.add("a number does not rise: " + each.csn() + " after " + before);
        }
        before = each.csn();
      }
    }
  }
}
