package org.nyala.management;

import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanNotificationInfo;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationEmitter;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.NoticeKind;

/**
 * The notifications of a server to JMX clients, and its current alarms.
 *
 * <p>Thread-safe. An alarm is reported when it begins and when it ends, and is in the log.
 */
public final class Notifications {
  private static final System.Logger LOG = System.getLogger(Notifications.class.getName());

  /** The notifications that are kept. */
  public static final int MOST_KEPT = 50;

  private final InstantSource clock;
  private final Map<String, NotificationBroadcasterSupport> emitters = new HashMap<>();
  private final Map<NoticeKind, String> alarms = new EnumMap<>(NoticeKind.class);
  private final Deque<Notice> last = new ArrayDeque<>();
  private long sequence;

  /**
   * A notification that was sent.
   *
   * @param timeMillis its time, in milliseconds since 1970
   * @param kind its kind
   * @param isOver true if a condition has ended by it
   * @param message its line for people
   */
  public record Notice(long timeMillis, NoticeKind kind, boolean isOver, String message) {}

  /**
   * Creates notifications without listeners.
   *
   * @param clock the source of their times
   */
  public Notifications(InstantSource clock) {
    this.clock = clock;
    for (NoticeKind kind : NoticeKind.values()) {
      emitters.computeIfAbsent(kind.bean(), Notifications::newEmitter);
    }
  }

  private static NotificationBroadcasterSupport newEmitter(String bean) {
    return new NotificationBroadcasterSupport(
        Arrays.stream(NoticeKind.values())
            .filter(kind -> kind.bean().equals(bean))
            .map(
                kind ->
                    new MBeanNotificationInfo(
                        kind.types(), Notification.class.getName(), kind.description()))
            .toArray(MBeanNotificationInfo[]::new));
  }

  /** Returns the emitter that listeners of a bean are registered with. */
  NotificationEmitter emitter(String bean) {
    NotificationBroadcasterSupport emitter = emitters.get(bean);
    return emitter == null ? new NotificationBroadcasterSupport() : emitter;
  }

  /**
   * Reports an event.
   *
   * @param message one line for people
   * @param data the same in parts, for programs: texts and numbers
   */
  public void tell(NoticeKind kind, String message, Map<String, Object> data) {
    send(kind, kind.type(), message, data);
  }

  /** Raises an alarm, unless it is raised already. */
  public void raise(NoticeKind kind, String message, Map<String, Object> data) {
    synchronized (alarms) {
      if (alarms.put(kind, message) != null) {
        return;
      }
    }
    LOG.log(Level.WARNING, "{0}", message);
    send(kind, kind.type(), message, data);
  }

  /** Clears an alarm, if it is raised. */
  public void clear(NoticeKind kind) {
    String message;
    synchronized (alarms) {
      if (!alarms.containsKey(kind)) {
        return;
      }
      message = "over: " + alarms.remove(kind);
    }
    LOG.log(Level.INFO, "{0}", message);
    send(kind, kind.overType(), message, Map.of());
  }

  /** Raises an alarm if something holds, and clears it otherwise. */
  void set(NoticeKind kind, boolean holds, String message, Map<String, Object> data) {
    if (holds) {
      raise(kind, message, data);
    } else {
      clear(kind);
    }
  }

  /**
   * Raises an alarm whose data is one text, or clears it if there is none.
   *
   * @param label the name of the text in the data
   */
  void set(NoticeKind kind, String prefix, String label, @Nullable String text) {
    String known = text == null ? "" : text;
    set(kind, !known.isEmpty(), prefix + known, Map.of(label, known));
  }

  /** Returns the current alarms as text. */
  public List<String> alarms() {
    synchronized (alarms) {
      return List.copyOf(alarms.values());
    }
  }

  /** Returns the current alarms with their texts, in the order of their kinds. */
  public Map<NoticeKind, String> current() {
    synchronized (alarms) {
      return new EnumMap<>(alarms);
    }
  }

  /** Returns the labels of the current alarms, such as {@code store.longRead}. */
  public List<String> raised() {
    synchronized (alarms) {
      return alarms.keySet().stream().map(NoticeKind::label).toList();
    }
  }

  public boolean isRaised(NoticeKind kind) {
    synchronized (alarms) {
      return alarms.containsKey(kind);
    }
  }

  private void send(NoticeKind kind, String type, String message, Map<String, Object> data) {
    long now = clock.millis();
    keep(new Notice(now, kind, type.equals(kind.overType()), message));
    NotificationBroadcasterSupport emitter = emitters.get(kind.bean());
    if (emitter == null) {
      return;
    }
    Notification notification = new Notification(type, name(kind), nextSequence(), now, message);
    notification.setUserData(new HashMap<>(data));
    emitter.sendNotification(notification);
  }

  private void keep(Notice notice) {
    synchronized (last) {
      if (last.size() == MOST_KEPT) {
        last.removeLast();
      }
      last.addFirst(notice);
    }
  }

  /** Returns the last notifications, the latest first. */
  public List<Notice> last() {
    synchronized (last) {
      return List.copyOf(last);
    }
  }

  private synchronized long nextSequence() {
    return ++sequence;
  }

  private static ObjectName name(NoticeKind kind) {
    try {
      return new ObjectName(kind.bean());
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(kind.bean(), e);
    }
  }
}
