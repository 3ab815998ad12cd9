package org.nyala.management;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.ExplainMXBean;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.ListenerMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.RecordingMXBean;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.management.bean.SyncMXBean;

/**
 * The beans of a server in an MBean server; closing unregisters them. Thread-safe.
 *
 * <p>An MBean server has room for one server: the names are the same for all.
 */
public final class ManagementBeans implements AutoCloseable {
  private final MBeanServer registry;
  private final Notifications notices;
  private final Deque<ObjectName> names = new ArrayDeque<>();

  /**
   * Creates a set without beans.
   *
   * @param notices the source of their notifications
   */
  public ManagementBeans(MBeanServer registry, Notifications notices) {
    this.registry = registry;
    this.notices = notices;
  }

  /**
   * Registers the bean of dispatch.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(DispatchMXBean bean) {
    return register(DispatchMXBean.NAME, bean, DispatchMXBean.class);
  }

  /**
   * Registers the bean of contention.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(ContentionMXBean bean) {
    return register(ContentionMXBean.NAME, bean, ContentionMXBean.class);
  }

  /**
   * Registers the bean of recordings.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(RecordingMXBean bean) {
    return register(RecordingMXBean.NAME, bean, RecordingMXBean.class);
  }

  /**
   * Registers the bean of jobs.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(JobsMXBean bean) {
    return register(JobsMXBean.NAME, bean, JobsMXBean.class);
  }

  /**
   * Registers the bean of explanations.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(ExplainMXBean bean) {
    return register(ExplainMXBean.NAME, bean, ExplainMXBean.class);
  }

  /**
   * Registers the bean of accounts.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(AccountsMXBean bean) {
    return register(AccountsMXBean.NAME, bean, AccountsMXBean.class);
  }

  /**
   * Registers the bean of copies.
   *
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(SyncMXBean bean) {
    return register(SyncMXBean.NAME, bean, SyncMXBean.class);
  }

  /**
   * Registers the beans of the server, its listeners, connections, operations and store.
   *
   * @param version of the program
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(ServerComponents parts, String version) {
    ServerMXBean server = new ServerManagement(parts, version, InstantSource.system());
    register(ServerMXBean.NAME, server, ServerMXBean.class);
    for (String url : parts.listeners()) {
      ListenerMXBean listener = new ListenerManagement(parts, url);
      register(ListenerMXBean.NAME_PREFIX + ObjectName.quote(url), listener, ListenerMXBean.class);
    }
    ConnectionsMXBean connections = new ConnectionsManagement(parts);
    register(ConnectionsMXBean.NAME, connections, ConnectionsMXBean.class);
    OperationsMXBean operations = new OperationsManagement(parts);
    register(OperationsMXBean.NAME, operations, OperationsMXBean.class);
    StoreMXBean store = new StoreManagement(parts);
    return register(StoreMXBean.NAME, store, StoreMXBean.class);
  }

  private synchronized <T> ManagementBeans register(String name, T bean, Class<T> type) {
    try {
      ObjectName registered = new ObjectName(name);
      registry.registerMBean(new DescribedBean(bean, type, notices.emitter(name)), registered);
      names.push(registered);
      return this;
    } catch (JMException e) {
      throw new IllegalStateException("cannot register " + name, e);
    }
  }

  @Override
  public synchronized void close() {
    while (!names.isEmpty()) {
      ObjectName name = names.pop();
      try {
        registry.unregisterMBean(name);
      } catch (InstanceNotFoundException e) {
        // It was unregistered by another party, as intended.
      } catch (JMException e) {
        throw new IllegalStateException("cannot unregister " + name, e);
      }
    }
  }
}
