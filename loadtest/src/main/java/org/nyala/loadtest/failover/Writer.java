package org.nyala.loadtest.failover;

import java.util.List;
import java.util.Random;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * A client that changes entries of its own, each by a few steps, and shared registers. A step names
 * the number that the last one left, so that a server which has lost that one refuses; before a
 * deletion the number is read. The writer then leaves the entry as it is, and as well if an outcome
 * is unknown or it has to go to another server: no later change covers what was lost.
 *
 * <p>Confined to its thread.
 */
final class Writer implements Runnable {
  /** The steps of entries: add, write, delete. */
  private static final List<String> PLANS =
      List.of("A", "AW", "AWW", "AWWW", "AD", "AWD", "ADA", "AWDA", "AWDAW");

  /** Codes of a server that takes no changes, or none now: others may take them. */
  private static final List<Integer> ELSEWHERE = List.of(8, 10, 11, 50, 51, 53);

  /** The wait after no server has taken a change, so that refusals do not fill the record. */
  private static final long ROUND_NANOS = 20_000_000;

  private final Course course;
  private final Client client;
  private final List<Server> servers;
  private final Tree tree;
  private final int registers;
  private final Random random;
  private final long paceNanos;
  private int refusals;
  private String plan = "";
  private int step;
  private int entry;
  private int last;

  /**
   * Creates a writer.
   *
   * @param paceNanos the time from one change to the next one; 0 for as fast as answers come
   */
  Writer(
      Course course,
      Client client,
      List<Server> servers,
      Tree tree,
      int registers,
      Random random,
      long paceNanos) {
    this.course = course;
    this.client = client;
    this.servers = servers;
    this.tree = tree;
    this.registers = registers;
    this.random = random;
    this.paceNanos = paceNanos;
  }

  @Override
  public void run() {
    long due = course.nanos();
    try (client) {
      while (course.isOpen()) {
        if (!client.isConnected()) {
          elsewhere();
        } else if (registers > 0 && random.nextInt(3) == 0) {
          writeRegister();
        } else {
          step();
        }
        due = Math.max(due + paceNanos, course.nanos() - paceNanos);
        course.await(due);
      }
    }
  }

  private void writeRegister() {
    int register = random.nextInt(registers);
    int number = course.newNumber();
    after(client.change(Kind.WRITE, register, number, tree.replace(register, number)));
  }

  private void step() {
    if (step == plan.length()) {
      plan = PLANS.get(random.nextInt(PLANS.size()));
      step = 0;
      entry = course.newEntry();
    }
    if (plan.charAt(step) == 'D' && !isAsLeft()) {
      leave();
      return;
    }
    int number = course.newNumber();
    Outcome outcome =
        switch (plan.charAt(step)) {
          case 'A' -> client.change(Kind.ADD, entry, number, tree.add(entry, number));
          case 'W' -> client.change(Kind.WRITE, entry, number, tree.exchange(entry, last, number));
          default -> client.change(Kind.DELETE, entry, number, tree.delete(entry));
        };
    last = number;
    step++;
    if (outcome != Outcome.DONE) {
      leave();
    }
    after(outcome);
  }

  private boolean isAsLeft() {
    return client.read(entry) == Outcome.DONE && client.found() == last;
  }

  /** Begins a new entry with the next step. */
  private void leave() {
    step = plan.length();
  }

  private void after(Outcome outcome) {
    if (outcome == Outcome.UNKNOWN || outcome == Outcome.REFUSED && isElsewhere()) {
      elsewhere();
    } else {
      refusals = 0;
    }
  }

  private boolean isElsewhere() {
    return ELSEWHERE.contains(client.code());
  }

  private void elsewhere() {
    leave();
    client.move(servers.get((client.server().place() + 1) % servers.size()));
    refusals++;
    if (refusals % servers.size() == 0) {
      course.await(course.nanos() + ROUND_NANOS);
    }
  }
}
