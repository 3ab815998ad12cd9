package org.nyala.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Hashtable;
import java.util.List;
import java.util.concurrent.Callable;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.InitialLdapContext;
import org.nyala.core.access.AccessPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Goes once along the program's own paths; the build has the JVM write down what it loads and links
 * on the way, so that the program starts fast later.
 */
@Command(name = "train", hidden = true, description = "Used by the build.")
final class TrainCommand implements Callable<Integer> {
  private static final String PEOPLE = "ou=People," + SampleDirectory.SUFFIX;

  @Option(names = "--entries", required = true, paramLabel = "N", description = "How many people.")
  private int entries;

  @Override
  public Integer call() throws IOException, NamingException {
    NyalaConfig configuration =
        ConfigurationFile.ofInstallation(Installation.current())
            .withListeners(List.of(new ListenAddress("127.0.0.1", 0)))
            .withAccess(new AccessPolicy(true));
    new SampleDirectory(entries, SampleDirectory.DEFAULT_SEED)
        .writeTo(OutputStream.nullOutputStream());
    try (SampleData sample = SampleData.create(entries, configuration)) {
      NyalaConfig served = configuration.withData(sample.data());
      try (RunDirectory.Lease lease = new RunDirectory(served.data()).acquire();
          RunningServer server = RunningServer.start(served, Installation.current())) {
        lease.ready(server.listeners());
        converse(server.listeners().getFirst());
      }
    }
    return ExitCode.OK;
  }

  private void converse(String url) throws NamingException {
    DirContext context = connect(url);
    SearchControls controls = new SearchControls();
    controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
    for (int n = 0; n < entries; n++) {
      drain(context.search(PEOPLE, "(uid=user." + n + ")", controls));
    }
    drain(context.search(PEOPLE, "(&(objectClass=person)(cn=A*))", controls));
    drain(context.search(SampleDirectory.SUFFIX, "(objectClass=*)", controls));
    context.getAttributes("");
    context.addToEnvironment(Context.SECURITY_AUTHENTICATION, "simple");
    context.addToEnvironment(Context.SECURITY_PRINCIPAL, "uid=user.0," + PEOPLE);
    context.addToEnvironment(Context.SECURITY_CREDENTIALS, "password.0");
    context.getAttributes(PEOPLE);
    context.close();
  }

  @SuppressWarnings("JdkObsolete") // JNDI insists on it.
  private static DirContext connect(String url) throws NamingException {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, url);
    return new InitialLdapContext(environment, null);
  }

  private static void drain(NamingEnumeration<SearchResult> results) throws NamingException {
    while (results.hasMore()) {
      results.next();
    }
  }
}
