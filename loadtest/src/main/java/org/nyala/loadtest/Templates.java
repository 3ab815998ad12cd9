package org.nyala.loadtest;

/** The requests of a test, encoded once. Immutable. */
final class Templates {
  private final RequestTemplate search;
  private final RequestTemplate bind;
  private final RequestTemplate scan;
  private final RequestTemplate unbind = RequestTemplate.constant(Pdu.unbind());
  private final RequestTemplate serviceBind;

  Templates(LoadSettings settings) {
    String base = settings.base();
    String people = settings.people();
    search = new RequestTemplate(n -> Pdu.equalitySearch(base, "uid", "user." + n));
    bind = new RequestTemplate(n -> Pdu.bind("uid=user." + n + "," + people, "password." + n));
    scan = RequestTemplate.constant(Pdu.scan(base));
    serviceBind = RequestTemplate.constant(Pdu.bind(settings.bindDn(), settings.password()));
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
}
