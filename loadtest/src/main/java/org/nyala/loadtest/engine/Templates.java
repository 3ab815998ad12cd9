package org.nyala.loadtest.engine;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.RequestList;
import org.nyala.loadtest.ldap.RequestTemplate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Targets;

/** The requests of a test, encoded once. Immutable. */
public final class Templates {
  /** The time to live of a dynamic entry after each refresh, in seconds. */
  static final int LIFE_SECONDS = 3600;

  private final Targets values;
  private final Request search;
  private final Request base;
  private final boolean findsOne;
  private final RequestTemplate compare;
  private final RequestTemplate addDynamic;
  private final RequestTemplate refresh;
  private final RequestTemplate deleteDynamic;
  private final RequestTemplate bind;
  private final RequestTemplate scan;
  private final RequestTemplate unbind = RequestTemplate.constant(Pdu.unbind());
  private final RequestTemplate startTls = RequestTemplate.constant(Pdu.startTls());
  private final RequestTemplate serviceBind;
  private final RequestTemplate replace;
  private final RequestTemplate replaced;
  private final RequestTemplate add;
  private final RequestTemplate delete;
  private final RequestTemplate rename;
  private final RequestTemplate renameBack;

  public Templates(LoadSettings settings) {
    String base = settings.people().base();
    String people = settings.people().parent();
    String attribute = settings.options().attribute();
    values = settings.options().values();
    int width = values.width();
    findsOne = values.isPattern();
    search = searches(base);
    this.base =
        values.isPattern()
            ? ofUser(n -> Pdu.read(dn(n, people)))
            : new RequestList(
                values.lines().stream().map(l -> Pdu.read(nameOf(l, people))).toList());
    compare = ofUser(n -> Pdu.compare(dn(n, people), values.attribute(), values.value(n)));
    bind = ofUser(n -> Pdu.bind(dn(n, people), "password." + n));
    scan = RequestTemplate.constant(Pdu.scan(base));
    serviceBind =
        RequestTemplate.constant(Pdu.bind(settings.account().dn(), settings.account().password()));
    replace =
        new RequestTemplate(width, (n, stamp) -> Pdu.replace(dn(n, people), attribute, stamp));
    replaced =
        new RequestTemplate(width, (n, stamp) -> Pdu.baseSearch(dn(n, people), attribute, stamp));
    String run = runName();
    add = new RequestTemplate((n, stamp) -> added(run, n, stamp, people));
    delete =
        new RequestTemplate(
            (n, stamp) -> Pdu.delete("uid=" + ownUid(run, n, stamp) + "," + people));
    String renamed = values.attribute() + "=renamed.";
    rename = ofUser(n -> Pdu.rename(dn(n, people), renamed + n));
    renameBack = ofUser(n -> Pdu.rename(renamed + n + "," + people, values.rdn(n)));
    addDynamic = RequestTemplate.ofUser(n -> addedDynamic(run, n, people));
    refresh = RequestTemplate.ofUser(n -> Pdu.refresh(dynamicName(run, n, people), LIFE_SECONDS));
    deleteDynamic = RequestTemplate.ofUser(n -> Pdu.delete(dynamicName(run, n, people)));
  }

  /** A request about a user whose number is written as in the values. */
  private RequestTemplate ofUser(Function<String, byte[]> encoder) {
    return new RequestTemplate(values.width(), (user, _) -> encoder.apply(user));
  }

  private Request searches(String base) {
    return values.isPattern()
        ? ofUser(n -> Pdu.equalitySearch(base, values.attribute(), values.value(n)))
        : new RequestList(values.lines().stream().map(line -> searchOf(line, base)).toList());
  }

  /** The search for a line of a file, which is a filter or a value. */
  private byte[] searchOf(String line, String base) {
    return line.startsWith("(")
        ? Pdu.filteredSearch(base, 2, Filters.encode(line))
        : Pdu.equalitySearch(base, values.attribute(), line);
  }

  /** The DN for a line of a file, which is a DN or the value of an RDN. */
  private String nameOf(String line, String people) {
    return line.indexOf('=') < 0 ? values.attribute() + "=" + line + "," + people : line;
  }

  private String dn(String user, String people) {
    return values.rdn(user) + "," + people;
  }

  private static String dynamicName(String run, String client, String people) {
    return "uid=dynamic." + run + "." + client + "," + people;
  }

  private static byte[] addedDynamic(String run, String client, String people) {
    return Pdu.add(
        dynamicName(run, client, people),
        Pdu.attribute("objectClass", "inetOrgPerson", "dynamicObject"),
        Pdu.attribute("uid", "dynamic." + run + "." + client),
        Pdu.attribute("cn", "Load Tester " + client),
        Pdu.attribute("sn", "Tester"));
  }

  /**
   * A random name that keeps the entries of two tests apart, also of those that a killed test left
   * behind.
   */
  private static String runName() {
    return String.format(Locale.ROOT, "%08x", new SplittableRandom().nextInt());
  }

  private static String ownUid(String run, String client, String stamp) {
    return "load." + run + "." + client + "." + stamp;
  }

  /**
   * An entry like those of the people, but without the password, whose hashing is another matter.
   */
  private static byte[] added(String run, String client, String stamp, String people) {
    String uid = ownUid(run, client, stamp);
    return Pdu.add(
        "uid=" + uid + "," + people,
        Pdu.attribute("objectClass", "inetOrgPerson"),
        Pdu.attribute("uid", uid),
        Pdu.attribute("cn", "Load Tester " + client),
        Pdu.attribute("sn", "Tester"),
        Pdu.attribute("givenName", "Load"),
        Pdu.attribute("mail", uid + "@example.com"),
        Pdu.attribute("telephoneNumber", "+1 555 " + stamp),
        Pdu.attribute("title", "Tester"),
        Pdu.attribute("l", "Nowhere"),
        Pdu.attribute("employeeNumber", stamp),
        Pdu.attribute("description", "Added by a load test, to be deleted by it."));
  }

  public Request search() {
    return search;
  }

  /** Reads the entry of a user. */
  Request base() {
    return base;
  }

  /**
   * Returns whether a search must find exactly one entry; the result of a user-defined filter is
   * unknown.
   */
  boolean findsOne() {
    return findsOne;
  }

  /** Compares a user's value with the actual one. */
  RequestTemplate compare() {
    return compare;
  }

  /** Adds the dynamic entry of a client. */
  RequestTemplate addDynamic() {
    return addDynamic;
  }

  /** Asks for a longer life of the dynamic entry. */
  RequestTemplate refresh() {
    return refresh;
  }

  /** Deletes the dynamic entry. */
  RequestTemplate deleteDynamic() {
    return deleteDynamic;
  }

  public RequestTemplate bind() {
    return bind;
  }

  RequestTemplate scan() {
    return scan;
  }

  RequestTemplate unbind() {
    return unbind;
  }

  RequestTemplate startTls() {
    return startTls;
  }

  RequestTemplate serviceBind() {
    return serviceBind;
  }

  /** Replaces a user's attribute by the stamp. */
  public RequestTemplate replace() {
    return replace;
  }

  /** Finds a user's entry if its attribute is the stamp. */
  public RequestTemplate replaced() {
    return replaced;
  }

  /** Adds an entry of a client; the stamp distinguishes it from the client's others. */
  public RequestTemplate add() {
    return add;
  }

  /** Deletes the entry that {@link #add} added. */
  public RequestTemplate delete() {
    return delete;
  }

  /** Gives a user another RDN. */
  public RequestTemplate rename() {
    return rename;
  }

  /** Gives a user the RDN back that {@link #rename} took. */
  public RequestTemplate renameBack() {
    return renameBack;
  }
}
