package org.nyala.attack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.nyala.attack.Requests.Search;

/** The list of all attacks. */
final class Attacks {
  /** The person with the right to change entries. */
  static final int WRITER = 1;

  private static final int STRANGERS_BYTES = 65_000;
  private static final int LARGE_BYTES = 15 << 20;
  private static final byte[] EMPTY_VALUE = Ber.text(Ber.STRING, "");
  private static final String PERSISTENT = "2.16.840.1.113730.3.4.3";
  private static final long DRIP_NANOS = TimeUnit.SECONDS.toNanos(2);

  private Attacks() {}

  private record Named(String name, Starter starter) implements Attack {
    @Override
    public void start(AttackRun run) throws Exception {
      starter.start(name, run);
    }
  }

  @FunctionalInterface
  private interface Starter {
    void start(String name, AttackRun run) throws Exception;
  }

  static List<Attack> all() {
    List<Attack> all = new ArrayList<>(RepeatedSearch.all());
    all.add(new Named("longAssertion", Attacks::longAssertion));
    all.add(new Named("emptyValues", Attacks::emptyValues));
    all.add(new Named("endlessHash", Attacks::endlessHash));
    all.add(new Named("behindBinds", Attacks::behindBinds));
    all.add(new Named("persistentFilters", Attacks::persistentFilters));
    all.add(new Named("persistentSearches", Attacks::persistentSearches));
    all.add(new Named("unreadAnswers", Attacks::unreadAnswers));
    all.add(new Named("partialOfUsers", Attacks::partialOfUsers));
    all.add(new Named("partialOfStrangers", Attacks::partialOfStrangers));
    all.add(new Named("growingEntry", Attacks::growingEntry));
    all.add(new Named("largeFilters", Attacks::largeFilters));
    return List.copyOf(all);
  }

  /** Sends one request and reads its answer. */
  private static void askOnce(AttackRun run, String name, Login login, byte[] request)
      throws IOException {
    Wire wire = run.bind(login);
    try {
      while (!run.isOver()) {
        wire.send(request);
        Wire.Result result = wire.read();
        run.count(name, result);
        if (result.id() == 0) {
          throw new IOException("disconnected");
        }
      }
    } finally {
      run.end(wire);
    }
  }

  private static byte[] longFilter() {
    return Requests.equal("cn", "ü" + "é x".repeat(LARGE_BYTES / 4));
  }

  private static void longAssertion(String name, AttackRun run) {
    byte[] request = Search.of(Login.SUFFIX, Requests.SUBTREE, longFilter()).message(2, "1.1");
    run.start(name, () -> askOnce(run, name, Login.of(31), request));
  }

  private static void emptyValues(String name, AttackRun run) {
    byte[] values = Ber.times(LARGE_BYTES / 2, EMPTY_VALUE);
    byte[] request =
        Requests.modify(2, Login.of(32).dn(), Requests.ADD_VALUES, "description", values);
    run.start(name, () -> askOnce(run, name, Login.of(32), request));
    byte[] ofWriter =
        Requests.modify(2, Login.of(WRITER).dn(), Requests.ADD_VALUES, "description", values);
    run.start(name, () -> askOnce(run, name, Login.of(WRITER), ofWriter));
  }

  private static void endlessHash(String name, AttackRun run) {
    Login endless = Login.hostile("endless");
    byte[] bind = Requests.bind(2, endless.dn(), endless.password());
    for (int i = 0; i < 4; i++) {
      run.start(
          name,
          () -> {
            Wire wire = run.connect();
            try {
              wire.send(bind);
              run.count(name, wire.read());
            } finally {
              run.end(wire);
            }
          });
    }
  }

  private static void behindBinds(String name, AttackRun run) {
    Login slow = Login.hostile("slow");
    byte[] bind = Requests.bind(1, slow.dn(), slow.password());
    byte[] values = Ber.times(STRANGERS_BYTES / 2 - 100, EMPTY_VALUE);
    byte[] modifies =
        Requests.each(
            64, i -> Requests.modify(2 + i, slow.dn(), Requests.ADD_VALUES, "description", values));
    for (int i = 0; i < 32; i++) {
      run.start(
          name,
          () -> {
            Wire wire = run.connect();
            try {
              wire.send(bind);
              wire.send(modifies);
              for (int read = 0; read < 65; read++) {
                run.count(name, wire.read());
              }
            } finally {
              run.end(wire);
            }
          });
    }
  }

  /** A persistent search for changes of every kind. */
  static byte[] persistent(int id, byte[] filter) {
    byte[] value =
        Ber.of(
            Ber.SEQUENCE,
            Ber.number(Ber.INTEGER, 15),
            Ber.flag(Ber.BOOLEAN, true),
            Ber.flag(Ber.BOOLEAN, true));
    return Search.of(Login.SUFFIX, Requests.SUBTREE, filter)
        .withControl(PERSISTENT, value)
        .message(id);
  }

  private static void persistentFilters(String name, AttackRun run) {
    byte[] request =
        persistent(
            2, Requests.or(Ber.times(4000, Requests.equal("description", "x".repeat(3800)))));
    for (int i = 0; i < 2; i++) {
      run.start(name, () -> askOnce(run, name, Login.of(33), request));
    }
  }

  private static void persistentSearches(String name, AttackRun run) {
    byte[][] requests = new byte[8][];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = persistent(2 + i, Requests.present("objectClass"));
    }
    for (int i = 0; i < 130; i++) {
      run.start(
          name,
          () -> {
            Wire wire = run.bind(Login.of(34));
            try {
              for (byte[] request : requests) {
                wire.send(request);
              }
              // Connections that were accepted have no end.
              while (!run.isOver()) {
                run.count(name, wire.read());
              }
            } finally {
              run.end(wire);
            }
          });
    }
  }

  private static void unreadAnswers(String name, AttackRun run) {
    byte[] schema =
        Search.of("cn=Subschema", Requests.BASE, Requests.present("objectClass"))
            .message(2, "*", "+");
    byte[] requests = Ber.times(60, schema);
    int connections = Integer.getInteger("nyala.attack.unread", 1800);
    AtomicInteger opened = new AtomicInteger();
    for (int i = 0; i < 16; i++) {
      run.start(
          name,
          () -> {
            while (!run.isOver() && opened.getAndIncrement() < connections) {
              run.connect().send(requests);
              run.count(name, "asked");
            }
            run.pause(DRIP_NANOS);
          });
    }
  }

  private static void partialOfUsers(String name, AttackRun run) {
    byte[] whole =
        Search.of(Login.SUFFIX, Requests.SUBTREE, Requests.equal("cn", "x".repeat(LARGE_BYTES)))
            .message(2);
    for (int i = 0; i < 70; i++) {
      run.start(
          name,
          () -> {
            Wire wire = run.bind(Login.of(35));
            drip(run, name, wire, whole);
          });
    }
  }

  private static void partialOfStrangers(String name, AttackRun run) {
    byte[] whole =
        Search.of(Login.SUFFIX, Requests.SUBTREE, Requests.equal("cn", "x".repeat(STRANGERS_BYTES)))
            .message(2);
    int connections = Integer.getInteger("nyala.attack.partial", 2000);
    for (int i = 0; i < connections; i++) {
      // Anonymous clients from many addresses.
      String from = "127.0.1." + (1 + i % 64);
      run.start(name, () -> drip(run, name, run.connect(from), whole));
    }
  }

  /**
   * Sends nearly all of a message at once, and the rest so slowly that the connection is never
   * idle.
   */
  private static void drip(AttackRun run, String name, Wire wire, byte[] whole) throws IOException {
    try {
      int sent = whole.length - 1000;
      wire.send(whole, 0, sent);
      run.count(name, "begun");
      while (!run.isOver() && sent < whole.length - 1) {
        wire.send(whole, sent++, 1);
        run.pause(DRIP_NANOS);
      }
    } finally {
      run.end(wire);
    }
  }

  /** Sends many filters as large as strangers may send, each of which costs more than its entry. */
  private static void largeFilters(String name, AttackRun run) {
    byte[] filter = Requests.or(Ber.times(3800, Requests.equal("cn", "x".repeat(8))));
    byte[] requests =
        Requests.each(
            32, i -> Search.of("cn=Subschema", Requests.BASE, filter).message(2 + i, "1.1"));
    for (int i = 0; i < 40; i++) {
      run.start(
          name,
          () -> {
            Wire wire = run.connect();
            try {
              while (!run.isOver()) {
                wire.send(requests);
                for (int k = 0; k < 32; k++) {
                  run.count(name, wire.read());
                }
              }
            } finally {
              run.end(wire);
            }
          });
    }
  }

  private static void growingEntry(String name, AttackRun run) {
    String grower = Login.hostile("grower").dn();
    byte[] padding = "y".repeat(8 << 20).getBytes(UTF_8);
    run.start(
        name,
        () -> {
          Wire wire = run.bind(Login.of(WRITER));
          try {
            boolean grows = true;
            for (int i = 0; grows && i < 100 && !run.isOver(); i++) {
              byte[] value = Ber.of(Ber.STRING, padding, Integer.toString(i).getBytes(UTF_8));
              wire.send(Requests.modify(2, grower, Requests.ADD_VALUES, "description", value));
              Wire.Result result = wire.read();
              run.count(name, result);
              grows = result.code() == 0;
            }
            wire.send(Search.of(grower, Requests.BASE, Requests.present("cn")).message(3));
            run.count(name, wire.read());
            wire.send(
                Requests.modify(4, grower, Requests.DELETE_VALUES, "description", new byte[0]));
            run.count(name, wire.read());
          } finally {
            run.end(wire);
          }
        });
  }
}
