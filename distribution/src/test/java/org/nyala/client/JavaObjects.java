package org.nyala.client;

import java.math.BigDecimal;
import java.util.Hashtable;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/**
 * A program that binds objects by JNDI and looks them up, in a JVM of its own, because trust in
 * serialized data cannot be given to one that has used JNDI before.
 */
@SuppressWarnings({"JdkObsolete", "BanJNDI"}) // JNDI is under test, and it requires Hashtable.
final class JavaObjects {
  private JavaObjects() {}

  /**
   * Prints what the objects are after their way through the directory.
   *
   * @param arguments the URL of the base, the name of the root account and its password
   */
  public static void main(String[] arguments) throws NamingException {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, arguments[0]);
    environment.put(Context.SECURITY_PRINCIPAL, arguments[1]);
    environment.put(Context.SECURITY_CREDENTIALS, arguments[2]);
    DirContext context = new InitialDirContext(environment);
    context.bind("cn=price", new BigDecimal("12.50"));
    System.out.println(context.lookup("cn=price"));
    context.rebind("cn=price", new BigDecimal("13.75"));
    System.out.println(context.lookup("cn=price"));
    context.bind(
        "cn=queue",
        new Reference("org.example.Queue", new StringRefAddr("url", "amqp://example.com/a")));
    if (context.lookup("cn=queue") instanceof Reference reference) {
      System.out.println(reference.getClassName() + ' ' + reference.get("url").getContent());
    }
    context.bind("cn=described", new BigDecimal(1), new BasicAttributes("description", "one"));
    System.out.println(
        context.getAttributes("cn=described", new String[] {"description", "javaClassName"}));
    context.unbind("cn=price");
    context.close();
  }
}
