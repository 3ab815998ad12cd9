package org.nyala.loadtest.engine;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.RequestList;
import org.nyala.loadtest.ldap.RequestTemplate;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.PeopleLogin;
import org.nyala.loadtest.workload.Synchronization;
import org.nyala.loadtest.workload.Targets;

/**
 * The requests of a test, encoded once. Immutable.
 *
 * @param base reads the entry of a user
 * @param findsOne true if a search must find exactly one entry; the result of a user-defined filter
 *     is unknown
 * @param compare compares a user's value with the actual one
 * @param addDynamic adds the dynamic entry of a client
 * @param refresh asks for a longer life of the dynamic entry
 * @param deleteDynamic deletes the dynamic entry
 * @param bind binds as a user, simply
 * @param personBind binds as a user in the way of {@link PeopleLogin}, unless that is SCRAM
 * @param serviceBind binds the service identity, unless it does so by SCRAM
 * @param replace replaces a user's attribute by the stamp
 * @param replaced finds a user's entry if its attribute is the stamp
 * @param add adds an entry of a client; the stamp distinguishes it from the client's others
 * @param delete deletes the entry that was added
 * @param rename gives a user another RDN
 * @param renameBack gives a user the RDN back
 */
public record Templates(
    Request search,
    Request base,
    boolean findsOne,
    RequestTemplate compare,
    RequestTemplate addDynamic,
    RequestTemplate refresh,
    RequestTemplate deleteDynamic,
    RequestTemplate bind,
    RequestTemplate personBind,
    RequestTemplate scan,
    RequestTemplate unbind,
    RequestTemplate startTls,
    RequestTemplate serviceBind,
    RequestTemplate replace,
    RequestTemplate replaced,
    RequestTemplate add,
    RequestTemplate delete,
    RequestTemplate rename,
    RequestTemplate renameBack) {
  /** The time to live of a dynamic entry after each refresh, in seconds. */
  static final int LIFE_SECONDS = 3600;

  /** Encodes the requests of a test. */
  public static Templates of(LoadSettings settings) {
    String people = settings.people().parent();
    String attribute = settings.options().attribute();
    Targets values = settings.options().values();
    Users users = new Users(values, people);
    int width = values.width();
    String run = runName();
    String renamed = values.attribute() + "=renamed.";
    return new Templates(
        users.searches(settings.people().base()),
        users.reads(),
        values.isPattern(),
        users.each(n -> Pdu.compare(users.dn(n), values.attribute(), values.value(n))),
        RequestTemplate.ofUser(n -> addedDynamic(run, n, people)),
        RequestTemplate.ofUser(n -> Pdu.refresh(dynamicName(run, n, people), LIFE_SECONDS)),
        RequestTemplate.ofUser(n -> Pdu.delete(dynamicName(run, n, people))),
        users.each(n -> PeopleLogin.SIMPLE.bind(values, n, people)),
        users.each(n -> settings.options().login().bind(values, n, people)),
        RequestTemplate.constant(scan(settings.people().base(), settings.options().sync())),
        RequestTemplate.constant(Pdu.unbind()),
        RequestTemplate.constant(Pdu.startTls()),
        RequestTemplate.constant(serviceBind(settings.account())),
        new RequestTemplate(width, (n, stamp) -> Pdu.replace(users.dn(n), attribute, stamp)),
        new RequestTemplate(width, (n, stamp) -> Pdu.baseSearch(users.dn(n), attribute, stamp)),
        new RequestTemplate((n, stamp) -> added(run, n, stamp, people)),
        new RequestTemplate(
            (n, stamp) -> Pdu.delete("uid=" + ownUid(run, n, stamp) + "," + people)),
        users.each(n -> Pdu.rename(users.dn(n), renamed + n)),
        users.each(n -> Pdu.rename(renamed + n + "," + people, values.rdn(n))));
  }

  /** An anonymous bind stands for those by SCRAM, which {@link ScramBind} makes. */
  private static byte[] serviceBind(Account account) {
    return (account.isScram() ? Account.ANONYMOUS : account).bind();
  }

  private static byte[] scan(String base, Synchronization sync) {
    return sync.isWanted()
        ? Pdu.controlledSearch(
            base,
            Pdu.anything(),
            new String[] {"*", "+"},
            Controls.sync(false, Pdu.utf8(sync.cookie())),
            Controls.manageDsaIt())
        : Pdu.scan(base);
  }

  /** The users that requests are about. */
  private record Users(Targets values, String people) {
    /** Returns a request about a user whose number is written as in the values. */
    RequestTemplate each(Function<String, byte[]> encoder) {
      return new RequestTemplate(values.width(), (user, _) -> encoder.apply(user));
    }

    Request searches(String base) {
      return values.isPattern()
          ? each(n -> Pdu.equalitySearch(base, values.attribute(), values.value(n)))
          : new RequestList(values.lines().stream().map(line -> searchOf(line, base)).toList());
    }

    Request reads() {
      return values.isPattern()
          ? each(n -> Pdu.read(dn(n)))
          : new RequestList(values.lines().stream().map(line -> Pdu.read(nameOf(line))).toList());
    }

    /** Returns the search for a line of a file, which is a filter or a value. */
    private byte[] searchOf(String line, String base) {
      return line.startsWith("(")
          ? Pdu.filteredSearch(base, 2, Filters.encode(line))
          : Pdu.equalitySearch(base, values.attribute(), line);
    }

    /** Returns the DN for a line of a file, which is a DN or the value of an RDN. */
    private String nameOf(String line) {
      return line.indexOf('=') < 0 ? values.attribute() + "=" + line + "," + people : line;
    }

    String dn(String user) {
      return values.rdn(user) + "," + people;
    }
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
}
