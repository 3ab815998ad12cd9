package org.nyala.loadtest.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.ReadConnection;
import org.nyala.loadtest.engine.ReadConnection.Entry;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The figures that a server shows over LDAP: {@code cn=Monitor} of slapd and Nyala
 * (slapd-monitor(5)), {@code cn=monitor} and the monitors of the databases of 389 Directory Server,
 * or any other subtree. Every attribute with one value that is a number is a figure.
 *
 * <p>Confined to the thread that samples.
 */
final class MonitorSource implements MetricSource {
  static final String NAME = "monitor";

  private static final String DATABASES_OF_389 = "cn=ldbm database,cn=plugins,cn=config";

  /** Names of counters; slapd's monitorCounter is one but for the current connections. */
  private static final Pattern COUNTER =
      Pattern.compile(
          "(?i)monitor(Op(Initiated|Completed)|Counter)|ops.*|.*ops|.*binds|.*hits|.*tries"
              + "|.*misses|.*errors|bytes.*|entries.*|referrals.*|total.*|dbcachepage(in|out)");

  /** Numbers that are no figures of the server at work. */
  private static final Pattern IGNORED =
      Pattern.compile(
          "(?i)numSubordinates|.*ratio|uidNumber|gidNumber|monitorConnection.*|version");

  /** A search for a part of the figures. Immutable. */
  private record Part(String base, int scope, String filter) {}

  private final LoadSettings settings;
  private final String wanted;
  private @Nullable ReadConnection connection;
  private List<Part> parts = List.of();
  private String root = "";

  /**
   * Reads a subtree.
   *
   * @param settings the load, under whose encryption and identity it is read
   * @param wanted its name; empty for the one that the server names, or is known to have
   */
  MonitorSource(LoadSettings settings, String wanted) {
    this.settings = settings;
    this.wanted = wanted;
  }

  @Override
  public String name() {
    return wanted.isEmpty() ? NAME : NAME + ":" + wanted;
  }

  @Override
  public Map<Metric, Double> read() throws LoadTestException, InterruptedException {
    ReadConnection open = connection;
    try {
      if (open == null) {
        open = new ReadConnection(settings, PATIENCE_SECONDS);
        connection = open;
        parts = parts(open);
      }
      Map<Metric, Double> figures = new TreeMap<>();
      String refusal = "";
      for (Part part : parts) {
        try {
          open.search(part.base(), part.scope(), part.filter(), "*", "+").stream()
              .limit(MOST_METRICS)
              .forEach(entry -> add(figures, entry));
        } catch (LoadTestException e) {
          // A server need not have all of them; one that does not answer has none.
          refusal = e.getMessage() == null ? "" : e.getMessage();
          if (!refusal.startsWith("the server answered")) {
            throw e;
          }
        }
      }
      if (figures.isEmpty()) {
        throw new LoadTestException(
            "it shows no figures below "
                + root
                + (refusal.isEmpty() ? "" : " (" + refusal + ")")
                + "; --monitor-dn names who may read them");
      }
      return figures;
    } catch (LoadTestException e) {
      close();
      throw e;
    }
  }

  private List<Part> parts(ReadConnection open) throws LoadTestException, InterruptedException {
    root = wanted;
    if (!wanted.isEmpty()) {
      return List.of(new Part(wanted, ReadConnection.SUBTREE, ReadConnection.ANYTHING));
    }
    List<Entry> entries =
        open.search(
            "", ReadConnection.BASE, ReadConnection.ANYTHING, "monitorContext", "vendorName");
    Entry dse = entries.isEmpty() ? new Entry("", Map.of()) : entries.getFirst();
    root = "cn=monitor";
    if (dse.first("vendorName").toLowerCase(Locale.ROOT).contains("389")) {
      return List.of(
          new Part(root, ReadConnection.BASE, ReadConnection.ANYTHING),
          new Part("cn=snmp," + root, ReadConnection.BASE, ReadConnection.ANYTHING),
          new Part(DATABASES_OF_389, ReadConnection.SUBTREE, "(cn=monitor)"));
    }
    String context = dse.first("monitorContext");
    if (context.isEmpty()) {
      return List.of(new Part(root, ReadConnection.SUBTREE, ReadConnection.ANYTHING));
    }
    // All connections have an entry each, which would cost the server more than the load.
    root = context;
    List<Part> all = new ArrayList<>();
    for (String part : List.of("Operations", "Statistics", "Threads", "Waiters", "Databases")) {
      all.add(new Part("cn=" + part + "," + root, ReadConnection.SUBTREE, ReadConnection.ANYTHING));
    }
    for (String part : List.of("Total", "Current")) {
      String base = "cn=" + part + ",cn=Connections," + root;
      all.add(new Part(base, ReadConnection.BASE, ReadConnection.ANYTHING));
    }
    return List.copyOf(all);
  }

  private void add(Map<Metric, Double> figures, Entry entry) {
    String place = place(entry.dn());
    boolean isCurrent = place.startsWith("Connections/Current") || place.startsWith("Waiters");
    entry
        .attributes()
        .forEach(
            (name, values) -> {
              if (values.size() != 1 || IGNORED.matcher(name).matches()) {
                return;
              }
              double value = Metric.number(new String(values.getFirst(), StandardCharsets.UTF_8));
              if (!Double.isNaN(value) && figures.size() < MOST_METRICS) {
                boolean isCounter = !isCurrent && COUNTER.matcher(name).matches();
                figures.put(new Metric((place + " " + name).strip(), isCounter), value);
              }
            });
  }

  /** The values of the RDNs below the root, the topmost first: {@code Operations/Search}. */
  private String place(String dn) {
    boolean isBelow = dn.toLowerCase(Locale.ROOT).endsWith(root.toLowerCase(Locale.ROOT));
    String below = isBelow ? dn.substring(0, dn.length() - root.length()) : dn;
    StringBuilder place = new StringBuilder();
    for (String rdn : below.split(",", -1)) {
      String value = rdn.substring(rdn.indexOf('=') + 1).strip();
      if (!value.isEmpty()) {
        place.insert(0, place.isEmpty() ? value : value + "/");
      }
    }
    return place.toString();
  }

  @Override
  public void close() {
    ReadConnection open = connection;
    connection = null;
    if (open != null) {
      open.close();
    }
  }
}
