package org.nyala.service;

import java.lang.System.Logger.Level;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The handler of SIGHUP, the signal by which service managers ask a server to reload its
 * configuration.
 *
 * <p>The JVM's own classes for signals are not part of its specification, and the compiler rejects
 * them: they are looked up by name.
 */
public final class SighupHandler {
  private static final System.Logger LOG = System.getLogger(SighupHandler.class.getName());
  private static final String SIGNAL = "sun.misc.Signal";
  private static final int NUMBER = 1;

  private SighupHandler() {}

  /** Runs an action on a thread of its own each time the signal arrives. */
  public static void handle(Runnable action) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                action.run();
                yield null;
              }
              case "hashCode" -> System.identityHashCode(proxy);
              case "equals" -> arguments != null && proxy == arguments[0];
              default -> SighupHandler.class.getName();
            };
    try {
      if (isIgnoredAfter(handler)) {
        stopIgnoring();
        boolean _ = isIgnoredAfter(handler);
      }
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "SIGHUP will not reload the configuration: {0}", e);
    }
  }

  /** Sets the handler; the JVM does not if the signal is ignored. */
  private static boolean isIgnoredAfter(InvocationHandler handler)
      throws ReflectiveOperationException {
    Class<?> signal = Class.forName(SIGNAL);
    Class<?> type = Class.forName(SIGNAL + "Handler");
    Object proxy =
        Proxy.newProxyInstance(
            SighupHandler.class.getClassLoader(), new Class<?>[] {type}, handler);
    Object before =
        signal
            .getMethod("handle", signal, type)
            .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
    return before != null && before.equals(type.getField("SIG_IGN").get(null));
  }

  /**
   * Undoes the effect of {@code nohup}, which is inherited and meant for programs that the signal
   * would end. Native access is granted when the program is started.
   */
  @SuppressWarnings("restricted")
  private static void stopIgnoring() throws Throwable {
    Linker linker = Linker.nativeLinker();
    MethodHandle signal =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("signal"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    // SIG_DFL, until the handler is set.
    MemorySegment _ = (MemorySegment) signal.invokeExact(NUMBER, MemorySegment.NULL);
  }
}
