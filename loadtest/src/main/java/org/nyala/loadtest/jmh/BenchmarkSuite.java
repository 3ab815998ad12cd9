package org.nyala.loadtest.jmh;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A group of benchmarks that answer one question together, with its parameters. */
enum BenchmarkSuite {
  /** Strategies under synthetic load. */
  STRATEGIES(
      "Strategies, synthetic operations",
      "StrategyBenchmark",
      "strategy",
      "Event loops and strategies of the server, with operations that only use up time; no sockets,"
          + " no store. Every connection sends its next request once the last one is answered."
          + " Operations a second, higher is better; the times are those from sending to answer."
          + " mixed: 99 of 5 µs and one of 1 ms that computes; delayed: one of 1 ms that waits as"
          + " for a disk, cold: all do; hash: one with a password hash of 4 ms.",
      "cost=1us,mixed,delayed,cold,hash connections=64",
      "connections=1,16,128,1000,10000 workers=2,4,8"),
  /** Strategies over sockets. */
  END_TO_END(
      "Strategies, end to end",
      "EndToEndBenchmark",
      "strategy",
      "A whole server with an LMDB store, asked over the loopback by the load tester's clients in"
          + " the same process: both share the processors. Operations a second, higher is better.",
      "connections=64 users=500",
      "connections=1,16,128,1000 job=search,bind"),
  HAND_OFF(
      "Hand-off",
      "DispatchHopBenchmark",
      "strategy",
      "One empty task to where the strategy runs it, and the notification that it is done; lower is"
          + " better. oneTaskAfterAPause contains a pause of some 200 µs, after which threads"
          + " sleep: compare it with run-to-completion.",
      "",
      ""),
  PERMITS(
      "Permits",
      "PermitsBenchmark",
      "kind",
      "Taking a permit and returning it while no task waits, by one, two and four threads; lower"
          + " is better. A counter that forbids nothing is the floor.",
      "",
      ""),
  LAZINESS(
      "Laziness",
      "LazinessBenchmark",
      "laziness",
      "A task of a burst of twice as many as there are permits, so that half of them wait; lower is"
          + " better.",
      "",
      "laziness=0,1,4,16"),
  CONNECTION_TABLES(
      "Connection tables",
      "ConnectionTableBenchmark",
      "table",
      "The cost of the connection table for an event on one of a thousand connections, by one,"
          + " two and four threads; lower is better.",
      "",
      ""),
  /** Everything else. */
  STEPS(
      "Steps of a request",
      "",
      "",
      "Decoding, the store, encoding, and what the load tester does, each by itself; lower is"
          + " better.",
      "",
      "");

  private final String title;
  private final String className;
  private final String compared;
  private final String text;
  private final String shortParameters;
  private final String fullParameters;

  BenchmarkSuite(
      String title,
      String className,
      String compared,
      String text,
      String shortParameters,
      String fullParameters) {
    this.title = title;
    this.className = className;
    this.compared = compared;
    this.text = text;
    this.shortParameters = shortParameters;
    this.fullParameters = fullParameters;
  }

  /** The suite that a benchmark class belongs to. */
  static BenchmarkSuite of(String className) {
    for (BenchmarkSuite suite : values()) {
      if (suite.className.equals(className)) {
        return suite;
      }
    }
    return STEPS;
  }

  /** The groups with what the page needs: titles, classes, the parameter that is compared. */
  static JsonArray json() {
    JsonArray suites = new JsonArray();
    for (BenchmarkSuite suite : values()) {
      JsonObject json = new JsonObject();
      json.addProperty("title", suite.title);
      json.addProperty("benchmarks", suite.className);
      json.addProperty("compared", suite.compared);
      json.addProperty("text", suite.text);
      suites.add(json);
    }
    return suites;
  }

  /** Parameters that differ from the benchmarks' own. */
  Map<String, List<String>> parameters(JmhProfile profile) {
    return switch (profile) {
      case SHORT -> values(shortParameters);
      case NORMAL -> Map.of();
      case FULL -> values(fullParameters);
    };
  }

  /** Reads {@code NAME=VALUE,VALUE NAME=VALUE}. */
  private static Map<String, List<String>> values(String parameters) {
    Map<String, List<String>> values = new HashMap<>();
    for (String parameter : parameters.split(" ", -1)) {
      int equals = parameter.indexOf('=');
      if (equals > 0) {
        values.put(
            parameter.substring(0, equals),
            List.of(parameter.substring(equals + 1).split(",", -1)));
      }
    }
    return values;
  }
}
