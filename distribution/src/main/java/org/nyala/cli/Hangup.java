package org.nyala.cli;

import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The signal SIGHUP, by which service managers ask a server to read its configuration again.
 *
 * <p>The JVM's own classes for signals are not part of its specification, and the compiler refuses
 * them: they are looked up by name.
 */
final class Hangup {
  private static final System.Logger LOG = System.getLogger(Hangup.class.getName());
  private static final String SIGNAL = "sun.misc.Signal";

  private Hangup() {}

  /** Has something done each time the signal comes, on a thread for it. */
  static void handle(Runnable action) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                action.run();
                yield null;
              }
              case "hashCode" -> System.identityHashCode(proxy);
              case "equals" -> arguments != null && proxy == arguments[0];
              default -> Hangup.class.getName();
            };
    try {
      Class<?> signal = Class.forName(SIGNAL);
      Class<?> type = Class.forName(SIGNAL + "Handler");
      Object proxy =
          Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[] {type}, handler);
      signal
          .getMethod("handle", signal, type)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
    } catch (ReflectiveOperationException e) {
      LOG.log(Level.WARNING, "SIGHUP will stop the server, as the JVM keeps it for itself: {0}", e);
    }
  }
}
