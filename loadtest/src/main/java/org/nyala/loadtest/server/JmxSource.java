package org.nyala.loadtest.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The numbers that the beans of a Java server show over JMX: those of its memory, collectors,
 * threads and process, and those of Nyala, or the ones that a pattern names.
 *
 * <p>Confined to the thread that samples.
 */
final class JmxSource implements MetricSource {
  static final String SCHEME = "service:jmx:";

  private static final List<String> DEFAULT =
      List.of(
          "java.lang:type=Memory",
          "java.lang:type=Threading",
          "java.lang:type=OperatingSystem",
          "java.lang:type=GarbageCollector,*",
          "org.nyala:*");

  /** Names of numbers that only grow. */
  private static final Pattern COUNTER =
      Pattern.compile("Total.*|CollectionCount|CollectionTime|ProcessCpuTime|.*Total");

  private final JMXServiceURL url;
  private final List<ObjectName> patterns;
  private final String name;
  private final Account account;
  private final double patienceSeconds;
  private @Nullable JMXConnector connector;

  /**
   * Reads beans.
   *
   * @param text {@code service:jmx:…}, with a pattern of the names of beans behind a {@code #} or
   *     without
   * @param account who logs in, if it is not anonymous
   * @throws IllegalArgumentException if the text is no such URL
   */
  JmxSource(String text, Account account) {
    this(text, account, PATIENCE_SECONDS);
  }

  /** Reads beans, and waits for them at most so long. */
  JmxSource(String text, Account account, double patienceSeconds) {
    int mark = text.indexOf('#');
    this.name = text;
    this.account = account;
    this.patienceSeconds = patienceSeconds;
    try {
      this.url = new JMXServiceURL(mark < 0 ? text : text.substring(0, mark));
      List<ObjectName> names = new java.util.ArrayList<>();
      for (String pattern : mark < 0 ? DEFAULT : List.of(text.substring(mark + 1))) {
        names.add(new ObjectName(pattern));
      }
      this.patterns = List.copyOf(names);
    } catch (IOException | MalformedObjectNameException e) {
      throw new IllegalArgumentException(
          "--server-metrics: expected a URL such as"
              + " service:jmx:rmi:///jndi/rmi://host:port/jmxrmi, or with #DOMAIN:* behind it;"
              + " found "
              + text,
          e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * The figures of one reading.
   *
   * @param connector the connection that they came over
   */
  private record Reading(JMXConnector connector, Map<Metric, Double> figures) {}

  /** Reads the beans; a thread of its own asks for them, since neither RMI nor JNDI has a bound. */
  @Override
  public Map<Metric, Double> read() throws LoadTestException, InterruptedException {
    CompletableFuture<Reading> answer = new CompletableFuture<>();
    JMXConnector known = connector;
    Thread _ =
        Thread.ofPlatform().daemon().name("load-server-beans").start(() -> read(known, answer));
    // A connection that does not answer is left to that thread.
    connector = null;
    try {
      Reading reading = answer.get((long) (patienceSeconds * 1e3), TimeUnit.MILLISECONDS);
      connector = reading.connector;
      if (reading.figures.isEmpty()) {
        throw new LoadTestException("it has no beans with numbers of these names");
      }
      return reading.figures;
    } catch (TimeoutException e) {
      boolean _ = answer.cancel(false);
      throw new LoadTestException("no answer in " + FigureText.trimmed(patienceSeconds) + " s");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException defect && !(defect instanceof SecurityException)) {
        throw defect;
      }
      String reason = cause == null ? null : cause.getMessage();
      throw new LoadTestException(
          "it does not answer (" + (reason == null ? "no reason" : reason) + ")");
    }
  }

  /** Reads over a connection, or a new one, which is closed if nobody waits any more. */
  private void read(@Nullable JMXConnector known, CompletableFuture<Reading> answer) {
    JMXConnector open = known;
    try {
      open = open == null ? connect() : open;
      if (!answer.complete(new Reading(open, figures(open.getMBeanServerConnection())))) {
        close(open);
      }
    } catch (IOException | RuntimeException e) {
      close(open);
      boolean _ = answer.completeExceptionally(e);
    }
  }

  /** Connects to a server that the user of the command line names. */
  @SuppressWarnings("BanJNDI")
  private JMXConnector connect() throws IOException {
    Map<String, Object> environment =
        account.isAnonymous()
            ? Map.of()
            : Map.of(JMXConnector.CREDENTIALS, new String[] {account.dn(), account.password()});
    return JMXConnectorFactory.connect(url, environment);
  }

  private Map<Metric, Double> figures(MBeanServerConnection server) throws IOException {
    Map<Metric, Double> figures = new TreeMap<>();
    for (ObjectName pattern : patterns) {
      for (ObjectName bean : new TreeSet<>(server.queryNames(pattern, null))) {
        add(figures, server, bean);
      }
    }
    return figures;
  }

  private static void add(
      Map<Metric, Double> figures, MBeanServerConnection server, ObjectName bean)
      throws IOException {
    try {
      String[] readable =
          java.util.Arrays.stream(server.getMBeanInfo(bean).getAttributes())
              .filter(MBeanAttributeInfo::isReadable)
              .map(MBeanAttributeInfo::getName)
              .toArray(String[]::new);
      for (Attribute attribute : server.getAttributes(bean, readable).asList()) {
        add(figures, bean + " " + attribute.getName(), attribute.getName(), attribute.getValue());
      }
    } catch (JMException e) {
      // A bean may be gone by now, or have attributes that only its program understands.
      return;
    }
  }

  private static void add(
      Map<Metric, Double> figures, String name, String attribute, @Nullable Object value) {
    if (value instanceof Number number && figures.size() < MOST_METRICS) {
      double figure = number.doubleValue();
      if (Double.isFinite(figure)) {
        figures.put(new Metric(name, COUNTER.matcher(attribute).matches()), figure);
      }
    } else if (value instanceof CompositeData composite) {
      for (String key : composite.getCompositeType().keySet()) {
        if (composite.get(key) instanceof Number number) {
          add(figures, name + "." + key, key, number);
        }
      }
    }
  }

  @Override
  public void close() {
    close(connector);
    connector = null;
  }

  private static void close(@Nullable JMXConnector open) {
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // The other end is gone already.
        return;
      }
    }
  }
}
