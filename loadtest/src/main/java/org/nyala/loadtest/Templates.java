package org.nyala.loadtest;

import java.util.Locale;
import java.util.SplittableRandom;

/** The requests of a test, encoded once. Immutable. */
final class Templates {
  private final RequestTemplate search;
  private final RequestTemplate bind;
  private final RequestTemplate scan;
  private final RequestTemplate unbind = RequestTemplate.constant(Pdu.unbind());
  private final RequestTemplate serviceBind;
  private final RequestTemplate replace;
  private final RequestTemplate replaced;
  private final RequestTemplate add;
  private final RequestTemplate delete;
  private final RequestTemplate rename;
  private final RequestTemplate renameBack;

  Templates(LoadSettings settings) {
    String base = settings.base();
    String people = settings.people();
    String attribute = settings.options().attribute();
    search = RequestTemplate.ofUser(n -> Pdu.equalitySearch(base, "uid", "user." + n));
    bind = RequestTemplate.ofUser(n -> Pdu.bind(dn(n, people), "password." + n));
    scan = RequestTemplate.constant(Pdu.scan(base));
    serviceBind = RequestTemplate.constant(Pdu.bind(settings.bindDn(), settings.password()));
    replace = new RequestTemplate((n, stamp) -> Pdu.replace(dn(n, people), attribute, stamp));
    replaced = new RequestTemplate((n, stamp) -> Pdu.baseSearch(dn(n, people), attribute, stamp));
    String run = runName();
    add = new RequestTemplate((n, stamp) -> added(run, n, stamp, people));
    delete =
        new RequestTemplate(
            (n, stamp) -> Pdu.delete("uid=" + ownUid(run, n, stamp) + "," + people));
    rename = RequestTemplate.ofUser(n -> Pdu.rename(dn(n, people), "uid=renamed." + n));
    renameBack =
        RequestTemplate.ofUser(n -> Pdu.rename("uid=renamed." + n + "," + people, "uid=user." + n));
  }

  private static String dn(String user, String people) {
    return "uid=user." + user + "," + people;
  }

  /** Keeps the entries of two tests apart, also of those that a killed test left behind. */
  private static String runName() {
    return String.format(Locale.ROOT, "%08x", new SplittableRandom().nextInt());
  }

  private static String ownUid(String run, String client, String stamp) {
    return "load." + run + "." + client + "." + stamp;
  }

  /** An entry like those of the people, but for the password, whose hashing is another matter. */
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

  RequestTemplate search() {
    return search;
  }

  RequestTemplate bind() {
    return bind;
  }

  RequestTemplate scan() {
    return scan;
  }

  RequestTemplate unbind() {
    return unbind;
  }

  RequestTemplate serviceBind() {
    return serviceBind;
  }

  /** Replaces a user's attribute by the stamp. */
  RequestTemplate replace() {
    return replace;
  }

  /** Finds a user's entry if its attribute is the stamp. */
  RequestTemplate replaced() {
    return replaced;
  }

  /** Adds an entry of a client; the stamp tells it from the client's others. */
  RequestTemplate add() {
    return add;
  }

  /** Deletes what {@link #add} added. */
  RequestTemplate delete() {
    return delete;
  }

  /** Gives a user another RDN. */
  RequestTemplate rename() {
    return rename;
  }

  /** Gives a user the RDN back that {@link #rename} took. */
  RequestTemplate renameBack() {
    return renameBack;
  }
}
