package org.nyala.management.jmxport;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.remote.MBeanServerForwarder;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes calls over the JMX port.
 *
 * <p>Every client may read; administrators call operations and set attributes of the server, of the
 * JVM's memory and threads, and of its log levels. No client may create beans or reach the
 * operations of the JVM that load code or write files: these are left to the server's own user, who
 * can attach to the process. Thread-safe.
 */
final class JmxAccess implements InvocationHandler {
  private static final Set<String> READING =
      Set.of(
          ("getAttribute;getAttributes;getMBeanInfo;getObjectInstance;getMBeanCount;"
                  + "getDefaultDomain;getDomains;queryNames;queryMBeans;isInstanceOf;isRegistered;"
                  + "addNotificationListener;removeNotificationListener;getClassLoader;"
                  + "getClassLoaderFor;getClassLoaderRepository")
              .split(";", -1));
  private static final Set<String> CHANGING = Set.of("invoke", "setAttribute", "setAttributes");
  private static final Set<String> CHANGEABLE_DOMAINS =
      Set.of("org.nyala", "java.lang", "java.util.logging");

  private final boolean hasAccounts;
  private final Runnable cameIn;
  private volatile @Nullable MBeanServer beans;

  private JmxAccess(boolean hasAccounts, Runnable cameIn) {
    this.hasAccounts = hasAccounts;
    this.cameIn = cameIn;
  }

  /**
   * Creates a guard in front of an MBean server.
   *
   * @param hasAccounts whether clients have logged in; otherwise all of them may only read
   * @param cameIn runs for each call, on the thread that serves it: the caller is admitted
   */
  static MBeanServerForwarder guard(boolean hasAccounts, Runnable cameIn) {
    return (MBeanServerForwarder)
        Proxy.newProxyInstance(
            JmxAccess.class.getClassLoader(),
            new Class<?>[] {MBeanServerForwarder.class},
            new JmxAccess(hasAccounts, cameIn));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return pass(method, this, arguments);
    } else if (name.equals("getMBeanServer")) {
      return beans;
    } else if (arguments != null && name.equals("setMBeanServer")) {
      beans = (MBeanServer) arguments[0];
      return null;
    } else if (arguments != null && CHANGING.contains(name)) {
      requireAdministrator(name, (ObjectName) arguments[0]);
    } else if (!READING.contains(name)) {
      throw new SecurityException(name + " is not offered over this port");
    }
    cameIn.run();
    return pass(method, beans, arguments);
  }

  private static @Nullable Object pass(
      Method method, @Nullable Object target, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private void requireAdministrator(String what, @Nullable ObjectName bean) {
    @Nullable Subject subject = Subject.current();
    boolean isAdministrator =
        hasAccounts && subject != null && subject.getPrincipals().contains(JmxRole.ADMINISTRATOR);
    if (!isAdministrator) {
      throw new SecurityException(what + " is for management.jmxAdmin of the configuration");
    }
    if (bean == null || !CHANGEABLE_DOMAINS.contains(bean.getDomain())) {
      throw new SecurityException(
          what
              + " on "
              + bean
              + " is only for those who attach to the process as the server's user");
    }
  }
}
